// kernel loop, blocks of (1, 1, 1) threads
struct __align__(16) hw_float32_4 { float x, y, z, w; };
extern "C" __global__ void __launch_bounds__(1) k_loop(
    float* __restrict__ a_out,
    const hw_float32_4* __restrict__ a_positions,
    const hw_float32_4* __restrict__ a_centers,
    const int* __restrict__ a_cell_start,
    float a_low_x,
    float a_inverse_x,
    int a_size_x,
    float a_low_y,
    float a_inverse_y,
    int a_size_y,
    float a_low_z,
    float a_inverse_z,
    int a_size_z,
    float a_cutoff2,
    int a_out_n1)
{
    float u_total;
    const int v_1 = (int)blockIdx.x;
    const float v_2 = a_centers[v_1].x;
    const float v_3 = a_centers[v_1].y;
    const float v_4 = a_centers[v_1].z;
    u_total = 0.0f;
    const float v_5 = v_2 - a_low_x;
    const float v_6 = v_5 * a_inverse_x;
    const float v_7 = floorf(v_6);
    const int v_8 = __float2int_rz(v_7);
    const int v_9 = (int)((unsigned int)a_size_x - (unsigned int)1);
    const int v_10 = (v_8 > 0 ? v_8 : 0);
    const int v_11 = (v_10 < v_9 ? v_10 : v_9);
    const int v_12 = (int)((unsigned int)v_11 - (unsigned int)2);
    const int v_13 = (int)((unsigned int)v_11 + (unsigned int)2);
    const int v_14 = (int)((unsigned int)v_13 + (unsigned int)1);
    const int v_15 = (v_14 < a_size_x ? v_14 : a_size_x);
    const int v_16 = (v_12 > 0 ? v_12 : 0);
    const float v_17 = v_3 - a_low_y;
    const float v_18 = v_17 * a_inverse_y;
    const float v_19 = floorf(v_18);
    const int v_20 = __float2int_rz(v_19);
    const int v_21 = (int)((unsigned int)a_size_y - (unsigned int)1);
    const int v_22 = (v_20 > 0 ? v_20 : 0);
    const int v_23 = (v_22 < v_21 ? v_22 : v_21);
    const int v_24 = (int)((unsigned int)v_23 - (unsigned int)2);
    const int v_25 = (int)((unsigned int)v_23 + (unsigned int)2);
    const int v_26 = (int)((unsigned int)v_25 + (unsigned int)1);
    const int v_27 = (v_26 < a_size_y ? v_26 : a_size_y);
    const int v_28 = (v_24 > 0 ? v_24 : 0);
    const float v_29 = v_4 - a_low_z;
    const float v_30 = v_29 * a_inverse_z;
    const float v_31 = floorf(v_30);
    const int v_32 = __float2int_rz(v_31);
    const int v_33 = (int)((unsigned int)a_size_z - (unsigned int)1);
    const int v_34 = (v_32 > 0 ? v_32 : 0);
    const int v_35 = (v_34 < v_33 ? v_34 : v_33);
    const int v_36 = (int)((unsigned int)v_35 - (unsigned int)2);
    const int v_37 = (int)((unsigned int)v_35 + (unsigned int)2);
    const int v_38 = (int)((unsigned int)v_37 + (unsigned int)1);
    const int v_39 = (v_38 < a_size_z ? v_38 : a_size_z);
    const int v_40 = (v_36 > 0 ? v_36 : 0);
    for (int v_41 = v_40; v_41 < v_39; ++v_41) {
        const int v_42 = (int)((unsigned int)a_size_y * (unsigned int)v_41);
        for (int v_43 = v_28; v_43 < v_27; ++v_43) {
            const int v_44 = (int)((unsigned int)v_42 + (unsigned int)v_43);
            const int v_45 = (int)((unsigned int)a_size_x * (unsigned int)v_44);
            const int v_46 = (int)((unsigned int)v_45 + (unsigned int)v_16);
            const int v_47 = a_cell_start[v_46];
            const int v_48 = (int)((unsigned int)v_45 + (unsigned int)v_15);
            const int v_49 = a_cell_start[v_48];
            for (int v_50 = v_47; v_50 < v_49; ++v_50) {
                const float v_51 = a_positions[v_50].x;
                const float v_52 = v_2 - v_51;
                const float v_53 = a_positions[v_50].y;
                const float v_54 = v_3 - v_53;
                const float v_55 = a_positions[v_50].z;
                const float v_56 = v_4 - v_55;
                const float v_57 = v_52 * v_52;
                const float v_58 = v_54 * v_54;
                const float v_59 = v_56 * v_56;
                const float v_60 = v_57 + v_58;
                const float v_61 = v_60 + v_59;
                const bool v_62 = v_61 < a_cutoff2;
                const bool v_63 = v_50 != v_1;
                const bool v_64 = v_62 & v_63;
                if (v_64) {
                    const float v_65 = u_total;
                    const float v_66 = v_65 + v_61;
                    u_total = v_66;
                }
            }
        }
    }
    const float v_67 = u_total;
    a_out[v_1 * a_out_n1 + 0] = v_67;
}
