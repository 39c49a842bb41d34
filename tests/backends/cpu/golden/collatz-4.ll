target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
entry:
  %slot.1 = getelementptr i64, ptr %arguments, i64 1
  %extent.2 = load i64, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 2
  %stride.4 = load i64, ptr %slot.3, align 8
  %slot.5 = getelementptr i64, ptr %arguments, i64 0
  %lengths.6 = load ptr, ptr %slot.5, align 8
  %slot.7 = getelementptr i64, ptr %arguments, i64 3
  %component.8 = load i64, ptr %slot.7, align 8
  %slot.9 = getelementptr i64, ptr %arguments, i64 5
  %extent.10 = load i64, ptr %slot.9, align 8
  %slot.11 = getelementptr i64, ptr %arguments, i64 6
  %stride.12 = load i64, ptr %slot.11, align 8
  %slot.13 = getelementptr i64, ptr %arguments, i64 4
  %n.14 = load ptr, ptr %slot.13, align 8
  %slot.15 = getelementptr i64, ptr %arguments, i64 7
  %component.16 = load i64, ptr %slot.15, align 8
  %block.17 = alloca i64, align 8
  %length.31 = alloca <4 x i32>, align 64
  %k.32 = alloca <4 x i32>, align 64
  %group.33 = alloca i32, align 8
  %live.44 = alloca <4 x i1>, align 8
  br label %start
start:
  store i64 %first, ptr %block.17, align 8
  %v.20 = icmp slt i64 %first, %last
  br i1 %v.20, label %block.18, label %done.19
block.18:
  %block.21 = load i64, ptr %block.17, align 8
  %v.22 = zext i32 %grid_x to i64
  %v.23 = zext i32 %grid_y to i64
  %v.24 = udiv i64 %block.21, %v.22
  %v.25 = urem i64 %block.21, %v.22
  %v.26 = urem i64 %v.24, %v.23
  %v.27 = udiv i64 %v.24, %v.23
  %v.28 = trunc i64 %v.25 to i32
  %v.29 = trunc i64 %v.26 to i32
  %v.30 = trunc i64 %v.27 to i32
  store i32 0, ptr %group.33, align 8
  br label %group.34
group.34:
  %group.37 = load i32, ptr %group.33, align 8
  %v.38 = mul i32 %group.37, 4
  store <4 x i32> zeroinitializer, ptr %length.31, align 8
  store <4 x i32> zeroinitializer, ptr %k.32, align 8
  %v.39 = mul i32 %v.28, 64
  %v.40 = add i32 %v.39, %v.38
  store <4 x i32> splat (i32 0), ptr %length.31, align 8
  %v.41 = sext i32 %v.40 to i64
  %at.42 = getelementptr i32, ptr %n.14, i64 %v.41
  %v.43 = load <4 x i32>, ptr %at.42, align 4
  store <4 x i32> %v.43, ptr %k.32, align 8
  store <4 x i1> splat (i1 true), ptr %live.44, align 8
  %v.48 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> splat (i1 true))
  br i1 %v.48, label %loop.45, label %end.47
loop.45:
  %mask.49 = load <4 x i1>, ptr %live.44, align 8
  %k.50 = load <4 x i32>, ptr %k.32, align 8
  %v.51 = icmp sgt <4 x i32> %k.50, splat (i32 1)
  %mask.52 = load <4 x i1>, ptr %live.44, align 8
  %v.53 = and <4 x i1> %mask.52, %v.51
  store <4 x i1> %v.53, ptr %live.44, align 8
  %v.55 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.53)
  br i1 %v.55, label %body.54, label %next.46
body.54:
  %k.56 = load <4 x i32>, ptr %k.32, align 8
  %v.57 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.58 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.59 = or <4 x i1> %v.57, %v.58
  %v.60 = select <4 x i1> %v.59, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.61 = sdiv <4 x i32> %k.56, %v.60
  %v.62 = mul <4 x i32> %v.61, %v.60
  %v.63 = sub <4 x i32> %k.56, %v.62
  %v.64 = icmp ne <4 x i32> %v.63, splat (i32 0)
  %v.65 = xor <4 x i32> %v.63, %v.60
  %v.66 = icmp slt <4 x i32> %v.65, splat (i32 0)
  %v.67 = sub <4 x i32> %v.61, splat (i32 1)
  %v.68 = and <4 x i1> %v.64, %v.66
  %v.69 = select <4 x i1> %v.68, <4 x i32> %v.67, <4 x i32> %v.61
  %v.70 = sub <4 x i32> splat (i32 0), %k.56
  %v.71 = select <4 x i1> %v.58, <4 x i32> %v.70, <4 x i32> %v.69
  %v.72 = select <4 x i1> %v.57, <4 x i32> splat (i32 0), <4 x i32> %v.71
  %v.73 = mul <4 x i32> splat (i32 2), %v.72
  %v.74 = sub <4 x i32> %k.56, %v.73
  %v.75 = icmp eq <4 x i32> %v.74, splat (i32 0)
  %v.76 = and <4 x i1> %v.53, %v.75
  %k.77 = load <4 x i32>, ptr %k.32, align 8
  %v.78 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.79 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.80 = or <4 x i1> %v.78, %v.79
  %v.81 = select <4 x i1> %v.80, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.82 = sdiv <4 x i32> %k.77, %v.81
  %v.83 = mul <4 x i32> %v.82, %v.81
  %v.84 = sub <4 x i32> %k.77, %v.83
  %v.85 = icmp ne <4 x i32> %v.84, splat (i32 0)
  %v.86 = xor <4 x i32> %v.84, %v.81
  %v.87 = icmp slt <4 x i32> %v.86, splat (i32 0)
  %v.88 = sub <4 x i32> %v.82, splat (i32 1)
  %v.89 = and <4 x i1> %v.85, %v.87
  %v.90 = select <4 x i1> %v.89, <4 x i32> %v.88, <4 x i32> %v.82
  %v.91 = sub <4 x i32> splat (i32 0), %k.77
  %v.92 = select <4 x i1> %v.79, <4 x i32> %v.91, <4 x i32> %v.90
  %v.93 = select <4 x i1> %v.78, <4 x i32> splat (i32 0), <4 x i32> %v.92
  %v.94 = load <4 x i32>, ptr %k.32, align 8
  %v.95 = select <4 x i1> %v.76, <4 x i32> %v.93, <4 x i32> %v.94
  store <4 x i32> %v.95, ptr %k.32, align 8
  %v.96 = xor <4 x i1> %v.75, splat (i1 true)
  %v.97 = and <4 x i1> %v.53, %v.96
  %k.98 = load <4 x i32>, ptr %k.32, align 8
  %v.99 = mul <4 x i32> splat (i32 3), %k.98
  %v.100 = add <4 x i32> %v.99, splat (i32 1)
  %v.101 = load <4 x i32>, ptr %k.32, align 8
  %v.102 = select <4 x i1> %v.97, <4 x i32> %v.100, <4 x i32> %v.101
  store <4 x i32> %v.102, ptr %k.32, align 8
  %length.103 = load <4 x i32>, ptr %length.31, align 8
  %v.104 = add <4 x i32> %length.103, splat (i32 1)
  %v.105 = load <4 x i32>, ptr %length.31, align 8
  %v.106 = select <4 x i1> %v.53, <4 x i32> %v.104, <4 x i32> %v.105
  store <4 x i32> %v.106, ptr %length.31, align 8
  %length.107 = load <4 x i32>, ptr %length.31, align 8
  %v.108 = icmp eq <4 x i32> %length.107, splat (i32 100)
  %v.109 = and <4 x i1> %v.53, %v.108
  %mask.110 = load <4 x i1>, ptr %live.44, align 8
  %v.111 = xor <4 x i1> %v.109, splat (i1 true)
  %v.112 = and <4 x i1> %mask.110, %v.111
  store <4 x i1> %v.112, ptr %live.44, align 8
  %v.113 = xor <4 x i1> %v.108, splat (i1 true)
  %v.114 = and <4 x i1> %v.53, %v.113
  %v.115 = or <4 x i1> zeroinitializer, %v.114
  br label %next.46
next.46:
  %mask.116 = load <4 x i1>, ptr %live.44, align 8
  store <4 x i1> %mask.116, ptr %live.44, align 8
  %v.117 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %mask.116)
  br i1 %v.117, label %loop.45, label %end.47, !llvm.loop !0
end.47:
  %length.118 = load <4 x i32>, ptr %length.31, align 8
  %v.119 = sext i32 %v.40 to i64
  %at.120 = getelementptr i32, ptr %lengths.6, i64 %v.119
  store <4 x i32> %length.118, ptr %at.120, align 4
  br label %next.35
next.35:
  %v.121 = add i32 %group.37, 1
  store i32 %v.121, ptr %group.33, align 8
  %v.122 = icmp ult i32 %v.121, 16
  br i1 %v.122, label %group.34, label %threads.36, !llvm.loop !0
threads.36:
  %v.123 = add i64 %block.21, 1
  store i64 %v.123, ptr %block.17, align 8
  %v.124 = icmp slt i64 %v.123, %last
  br i1 %v.124, label %block.18, label %done.19, !llvm.loop !0
done.19:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
