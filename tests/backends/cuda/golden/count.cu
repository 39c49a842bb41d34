// kernel count, blocks of (128, 1, 1) threads
static __device__ __forceinline__ int hw_mod_int32(int a, int b) {
    if (b == 0) { return a; }
    if (b == -1) { return 0; }
    const int rest = a % b;
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
static __device__ __forceinline__ unsigned int hw_trips_int32(int start, int stop, int step) {
    if (step > 0 && start < stop) { return ((unsigned int)stop - (unsigned int)start - 1u) / (unsigned int)step + 1u; }
    if (step < 0 && start > stop) { return ((unsigned int)start - (unsigned int)stop - 1u) / (0u - (unsigned int)step) + 1u; }
    return 0;
}
extern "C" __global__ void __launch_bounds__(128) k_count(
    long long* __restrict__ a_counts,
    const int* __restrict__ a_keys,
    int a_keys_n0)
{
    // line 38
    const int v_1 = (int)blockIdx.x;
    const int v_2 = (int)((unsigned int)v_1 * (unsigned int)128);
    const int v_3 = (int)threadIdx.x;
    const int v_4 = (int)((unsigned int)v_2 + (unsigned int)v_3);
    const int v_5 = a_keys_n0;
    const int v_6 = (int)gridDim.x;
    const int v_7 = (int)((unsigned int)v_6 * (unsigned int)128);
    const unsigned int v_8 = hw_trips_int32(v_4, v_5, v_7);
    for (unsigned int v_9 = 0; v_9 < v_8; ++v_9) {
        const int v_10 = (int)((unsigned int)v_4 + v_9 * (unsigned int)v_7);
        // line 39
        const int v_11 = a_keys[v_10];
        const int v_12 = hw_mod_int32(v_11, 8);
        const long long v_13 = (long long)atomicAdd((unsigned long long*)&a_counts[v_12], (unsigned long long)1ll);
    }
}
