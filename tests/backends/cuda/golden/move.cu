// kernel move, blocks of (256, 1, 1) threads
struct __align__(16) hw_float32_4 { float x, y, z, w; };
extern "C" __global__ void __launch_bounds__(256) k_move(
    hw_float32_4* __restrict__ a_positions,
    hw_float32_4* __restrict__ a_velocities,
    int a_positions_n0,
    float a_force_x,
    float a_time_step,
    float a_force_y,
    float a_force_z)
{
    // line 29
    const int v_1 = (int)blockIdx.x;
    const int v_2 = (int)((unsigned int)v_1 * (unsigned int)256);
    const int v_3 = (int)threadIdx.x;
    const int v_4 = (int)((unsigned int)v_2 + (unsigned int)v_3);
    // line 30
    const int v_5 = a_positions_n0;
    const bool v_6 = v_4 >= v_5;
    if (v_6) {
        // line 31
        return;
    }
    // line 32
    const float v_7 = a_velocities[v_4].x;
    const float v_8 = a_velocities[v_4].y;
    const float v_9 = a_velocities[v_4].z;
    const float v_10 = a_force_x * a_time_step;
    const float v_11 = a_force_y * a_time_step;
    const float v_12 = a_force_z * a_time_step;
    const float v_13 = v_7 + v_10;
    const float v_14 = v_8 + v_11;
    const float v_15 = v_9 + v_12;
    // line 33
    a_velocities[v_4].x = v_13;
    a_velocities[v_4].y = v_14;
    a_velocities[v_4].z = v_15;
    // line 34
    const float v_16 = a_positions[v_4].x;
    const float v_17 = a_positions[v_4].y;
    const float v_18 = a_positions[v_4].z;
    const float v_19 = v_13 * a_time_step;
    const float v_20 = v_14 * a_time_step;
    const float v_21 = v_15 * a_time_step;
    const float v_22 = v_16 + v_19;
    const float v_23 = v_17 + v_20;
    const float v_24 = v_18 + v_21;
    a_positions[v_4].x = v_22;
    a_positions[v_4].y = v_23;
    a_positions[v_4].z = v_24;
}
