// kernel loop, blocks of (1, 1, 1) threads
struct __align__(16) hw_float32_4 { float x, y, z, w; };
extern "C" __global__ void __launch_bounds__(1) k_loop(
    float* __restrict__ a_out,
    const hw_float32_4* __restrict__ a_positions,
    const hw_float32_4* __restrict__ a_centers,
    const int* __restrict__ a_cell_start,
    float a_box_x,
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
    const float v_5 = 1.0f / a_box_x;
    const float v_6 = v_2 - a_low_x;
    const float v_7 = v_6 * v_5;
    const float v_8 = floorf(v_7);
    const float v_9 = a_box_x * v_8;
    const float v_10 = v_2 - v_9;
    const float v_11 = v_10 - a_low_x;
    const float v_12 = v_11 * a_inverse_x;
    const float v_13 = floorf(v_12);
    const int v_14 = __float2int_rz(v_13);
    const int v_15 = (int)((unsigned int)a_size_x - (unsigned int)1);
    const int v_16 = (v_14 > 0 ? v_14 : 0);
    const int v_17 = (v_16 < v_15 ? v_16 : v_15);
    const int v_18 = (int)((unsigned int)v_17 - (unsigned int)2);
    const bool v_19 = a_size_x >= 5;
    const int v_20 = (v_19 ? v_18 : 0);
    const int v_21 = (a_size_x < 5 ? a_size_x : 5);
    const int v_22 = (int)((unsigned int)v_20 + (unsigned int)v_21);
    const float v_23 = v_3 - a_low_y;
    const float v_24 = v_23 * a_inverse_y;
    const float v_25 = floorf(v_24);
    const int v_26 = __float2int_rz(v_25);
    const int v_27 = (int)((unsigned int)a_size_y - (unsigned int)1);
    const int v_28 = (v_26 > 0 ? v_26 : 0);
    const int v_29 = (v_28 < v_27 ? v_28 : v_27);
    const int v_30 = (int)((unsigned int)v_29 - (unsigned int)2);
    const int v_31 = (int)((unsigned int)v_29 + (unsigned int)2);
    const int v_32 = (int)((unsigned int)v_31 + (unsigned int)1);
    const int v_33 = (v_32 < a_size_y ? v_32 : a_size_y);
    const int v_34 = (v_30 > 0 ? v_30 : 0);
    const float v_35 = v_4 - a_low_z;
    const float v_36 = v_35 * a_inverse_z;
    const float v_37 = floorf(v_36);
    const int v_38 = __float2int_rz(v_37);
    const int v_39 = (int)((unsigned int)a_size_z - (unsigned int)1);
    const int v_40 = (v_38 > 0 ? v_38 : 0);
    const int v_41 = (v_40 < v_39 ? v_40 : v_39);
    const int v_42 = (int)((unsigned int)v_41 - (unsigned int)2);
    const int v_43 = (int)((unsigned int)v_41 + (unsigned int)2);
    const int v_44 = (int)((unsigned int)v_43 + (unsigned int)1);
    const int v_45 = (v_44 < a_size_z ? v_44 : a_size_z);
    const int v_46 = (v_42 > 0 ? v_42 : 0);
    const int v_47 = (v_20 > 0 ? v_20 : 0);
    const int v_48 = (v_22 < a_size_x ? v_22 : a_size_x);
    const bool v_49 = v_20 < 0;
    const int v_50 = (int)((unsigned int)v_22 - (unsigned int)a_size_x);
    const int v_51 = (v_50 > 0 ? v_50 : 0);
    const int v_52 = (int)((unsigned int)v_20 + (unsigned int)a_size_x);
    const int v_53 = (v_49 ? v_52 : 0);
    const int v_54 = (v_49 ? a_size_x : v_51);
    for (int v_55 = v_46; v_55 < v_45; ++v_55) {
        const int v_56 = (int)((unsigned int)a_size_y * (unsigned int)v_55);
        for (int v_57 = v_34; v_57 < v_33; ++v_57) {
            const int v_58 = (int)((unsigned int)v_56 + (unsigned int)v_57);
            const int v_59 = (int)((unsigned int)a_size_x * (unsigned int)v_58);
            const bool v_60 = v_53 < v_54;
            const int v_61 = (int)v_60;
            const int v_62 = (int)((unsigned int)1 + (unsigned int)v_61);
            for (int v_63 = 0; v_63 < v_62; ++v_63) {
                const bool v_64 = v_63 == 0;
                const int v_65 = (v_64 ? v_47 : v_53);
                const int v_66 = (v_64 ? v_48 : v_54);
                const int v_67 = (int)((unsigned int)v_59 + (unsigned int)v_65);
                const int v_68 = a_cell_start[v_67];
                const int v_69 = (int)((unsigned int)v_59 + (unsigned int)v_66);
                const int v_70 = a_cell_start[v_69];
                for (int v_71 = v_68; v_71 < v_70; ++v_71) {
                    const float v_72 = a_positions[v_71].x;
                    const float v_73 = v_2 - v_72;
                    const float v_74 = v_73 * v_5;
                    const float v_75 = rintf(v_74);
                    const float v_76 = a_box_x * v_75;
                    const float v_77 = v_73 - v_76;
                    const float v_78 = a_positions[v_71].y;
                    const float v_79 = v_3 - v_78;
                    const float v_80 = a_positions[v_71].z;
                    const float v_81 = v_4 - v_80;
                    const float v_82 = v_77 * v_77;
                    const float v_83 = v_79 * v_79;
                    const float v_84 = v_81 * v_81;
                    const float v_85 = v_82 + v_83;
                    const float v_86 = v_85 + v_84;
                    const bool v_87 = v_86 < a_cutoff2;
                    const bool v_88 = v_71 != v_1;
                    const bool v_89 = v_87 & v_88;
                    if (v_89) {
                        const float v_90 = u_total;
                        const float v_91 = v_90 + v_86;
                        u_total = v_91;
                    }
                }
            }
        }
    }
    const float v_92 = u_total;
    a_out[v_1 * a_out_n1 + 0] = v_92;
}
