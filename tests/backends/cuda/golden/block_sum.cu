// kernel block_sum, blocks of (64, 1, 1) threads
static __device__ __forceinline__ float hw_atomic_add_float32(float* place, float value) {
    if ((__float_as_uint(value) & 0x7fffffffu) >= 0x0d000000u) { return atomicAdd(place, value); }
    unsigned int* const words = (unsigned int*)place;
    unsigned int seen = *(volatile unsigned int*)words;
    for (;;) {
        const float old = __uint_as_float(seen);
        const unsigned int wanted = __float_as_uint(__fadd_rn(old, value));
        const unsigned int found = wanted == seen ? seen : atomicCAS(words, seen, wanted);
        if (found == seen) { return old; }
        seen = found;
    }
}
static __device__ __forceinline__ float hw_atomic_max_float32(float* place, float value) {
    unsigned int* const words = (unsigned int*)place;
    unsigned int seen = *(volatile unsigned int*)words;
    for (;;) {
        const float old = __uint_as_float(seen);
        const unsigned int wanted = __float_as_uint(fmaxf(old, value));
        const unsigned int found = wanted == seen ? seen : atomicCAS(words, seen, wanted);
        if (found == seen) { return old; }
        seen = found;
    }
}
extern "C" __global__ void __launch_bounds__(64) k_block_sum(
    float* __restrict__ a_total,
    const float* __restrict__ a_x)
{
    __shared__ float s_partial[64];
    int u_step;
    // line 14
    const int v_1 = (int)threadIdx.x;
    // line 15
    const int v_2 = (int)blockIdx.x;
    const int v_3 = (int)((unsigned int)v_2 * (unsigned int)64);
    const int v_4 = (int)threadIdx.x;
    const int v_5 = (int)((unsigned int)v_3 + (unsigned int)v_4);
    const float v_6 = a_x[v_5];
    s_partial[v_1] = v_6;
    // line 16
    __syncthreads();
    // line 17
    u_step = 32;
    // line 18
    for (;;) {
        const int v_7 = u_step;
        const bool v_8 = v_7 > 0;
        if (!(v_8)) { break; }
        // line 19
        const int v_9 = u_step;
        const bool v_10 = v_1 < v_9;
        if (v_10) {
            // line 20
            const float v_11 = s_partial[v_1];
            const int v_12 = u_step;
            const int v_13 = (int)((unsigned int)v_1 + (unsigned int)v_12);
            const float v_14 = s_partial[v_13];
            const float v_15 = v_11 + v_14;
            s_partial[v_1] = v_15;
        }
        // line 21
        __syncthreads();
        // line 22
        const int v_16 = u_step;
        const int v_17 = v_16 >> (1 & 31);
        u_step = v_17;
    }
    // line 23
    const bool v_18 = v_1 == 0;
    if (v_18) {
        // line 24
        const float v_19 = s_partial[0];
        const float v_20 = hw_atomic_add_float32(&a_total[0], v_19);
        // line 25
        const float v_21 = s_partial[0];
        const float v_22 = hw_atomic_max_float32(&a_total[1], v_21);
    }
}
