// kernel saxpy, blocks of (256, 1, 1) threads
extern "C" __global__ void __launch_bounds__(256) k_saxpy(
    float* __restrict__ a_y,
    const float* __restrict__ a_x,
    int a_x_n0,
    float a_a)
{
    // line 7
    const int v_1 = (int)blockIdx.x;
    const int v_2 = (int)((unsigned int)v_1 * (unsigned int)256);
    const int v_3 = (int)threadIdx.x;
    const int v_4 = (int)((unsigned int)v_2 + (unsigned int)v_3);
    // line 8
    const int v_5 = a_x_n0;
    const bool v_6 = v_4 < v_5;
    if (v_6) {
        // line 9
        const float v_7 = a_x[v_4];
        const float v_8 = a_a * v_7;
        const float v_9 = a_y[v_4];
        const float v_10 = v_8 + v_9;
        a_y[v_4] = v_10;
    }
}
