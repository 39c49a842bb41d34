target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
entry:
  %slot.1 = getelementptr i64, ptr %arguments, i64 1
  %extent.2 = load i64, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 2
  %stride.4 = load i64, ptr %slot.3, align 8
  %slot.5 = getelementptr i64, ptr %arguments, i64 0
  %total.6 = load ptr, ptr %slot.5, align 8
  %slot.7 = getelementptr i64, ptr %arguments, i64 3
  %component.8 = load i64, ptr %slot.7, align 8
  %slot.9 = getelementptr i64, ptr %arguments, i64 5
  %extent.10 = load i64, ptr %slot.9, align 8
  %slot.11 = getelementptr i64, ptr %arguments, i64 6
  %stride.12 = load i64, ptr %slot.11, align 8
  %slot.13 = getelementptr i64, ptr %arguments, i64 4
  %x.14 = load ptr, ptr %slot.13, align 8
  %slot.15 = getelementptr i64, ptr %arguments, i64 7
  %component.16 = load i64, ptr %slot.15, align 8
  %partial.17 = alloca [512 x i8], align 64
  %partial.18 = getelementptr i8, ptr %partial.17, i64 128
  %block.19 = alloca i64, align 8
  %step.33 = alloca i32, align 8
  %group.35 = alloca i32, align 8
  %group.55 = alloca i32, align 8
  %group.107 = alloca i32, align 8
  br label %start
start:
  store i64 %first, ptr %block.19, align 8
  %v.22 = icmp slt i64 %first, %last
  br i1 %v.22, label %block.20, label %done.21
block.20:
  %block.23 = load i64, ptr %block.19, align 8
  %v.24 = zext i32 %grid_x to i64
  %v.25 = zext i32 %grid_y to i64
  %v.26 = udiv i64 %block.23, %v.24
  %v.27 = urem i64 %block.23, %v.24
  %v.28 = urem i64 %v.26, %v.25
  %v.29 = udiv i64 %v.26, %v.25
  %v.30 = trunc i64 %v.27 to i32
  %v.31 = trunc i64 %v.28 to i32
  %v.32 = trunc i64 %v.29 to i32
  %v.34 = mul i32 %v.30, 64
  store i32 0, ptr %group.35, align 8
  br label %group.36
group.36:
  %group.39 = load i32, ptr %group.35, align 8
  %v.40 = mul i32 %group.39, 4
  %v.41 = add i32 %v.34, %v.40
  %v.42 = sext i32 %v.41 to i64
  %at.43 = getelementptr float, ptr %x.14, i64 %v.42
  %v.44 = load <4 x float>, ptr %at.43, align 4
  %v.45 = sext i32 %v.40 to i64
  %at.46 = getelementptr float, ptr %partial.18, i64 %v.45
  store <4 x float> %v.44, ptr %at.46, align 4
  br label %next.37
next.37:
  %v.47 = add i32 %group.39, 1
  store i32 %v.47, ptr %group.35, align 8
  %v.48 = icmp ult i32 %v.47, 16
  br i1 %v.48, label %group.36, label %threads.38, !llvm.loop !0
threads.38:
  store i32 32, ptr %step.33, align 8
  br label %test.49
test.49:
  %step.52 = load i32, ptr %step.33, align 8
  %v.53 = icmp sgt i32 %step.52, 0
  br i1 %v.53, label %loop.50, label %end.51
loop.50:
  %step.54 = load i32, ptr %step.33, align 8
  store i32 0, ptr %group.55, align 8
  br label %group.56
group.56:
  %group.59 = load i32, ptr %group.55, align 8
  %v.60 = mul i32 %group.59, 4
  %v.61 = insertelement <4 x i32> poison, i32 %v.60, i64 0
  %v.62 = shufflevector <4 x i32> %v.61, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.63 = add <4 x i32> %v.62, <i32 0, i32 1, i32 2, i32 3>
  %v.64 = insertelement <4 x i32> poison, i32 %step.54, i64 0
  %v.65 = shufflevector <4 x i32> %v.64, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.66 = icmp slt <4 x i32> %v.63, %v.65
  %v.69 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.66)
  br i1 %v.69, label %arm.67, label %end.68
arm.67:
  %v.70 = sext i32 %v.60 to i64
  %at.71 = getelementptr float, ptr %partial.18, i64 %v.70
  %v.72 = load <4 x float>, ptr %at.71, align 4
  %v.73 = freeze <4 x float> %v.72
  %v.74 = select <4 x i1> %v.66, <4 x float> %v.73, <4 x float> zeroinitializer
  %step.75 = load i32, ptr %step.33, align 8
  %v.76 = add i32 %v.60, %step.75
  %v.77 = sext i32 %v.76 to i64
  %at.78 = getelementptr float, ptr %partial.18, i64 %v.77
  %v.79 = load <4 x float>, ptr %at.78, align 4
  %v.80 = freeze <4 x float> %v.79
  %v.81 = select <4 x i1> %v.66, <4 x float> %v.80, <4 x float> zeroinitializer
  %v.82 = fadd contract <4 x float> %v.74, %v.81
  %v.83 = sext i32 %v.60 to i64
  %at.84 = getelementptr float, ptr %partial.18, i64 %v.83
  %v.85 = load <4 x float>, ptr %at.84, align 4
  %v.86 = select <4 x i1> %v.66, <4 x float> %v.82, <4 x float> %v.85
  store <4 x float> %v.86, ptr %at.84, align 4
  br label %end.68
end.68:
  %v.87 = xor <4 x i1> %v.66, splat (i1 true)
  br label %next.57
next.57:
  %v.88 = add i32 %group.59, 1
  store i32 %v.88, ptr %group.55, align 8
  %v.89 = icmp ult i32 %v.88, 16
  br i1 %v.89, label %group.56, label %threads.58, !llvm.loop !0
threads.58:
  %step.90 = load i32, ptr %step.33, align 8
  %v.91 = icmp eq i32 2, 0
  %v.92 = icmp eq i32 2, -1
  %v.93 = or i1 %v.91, %v.92
  %v.94 = select i1 %v.93, i32 1, i32 2
  %v.95 = sdiv i32 %step.90, %v.94
  %v.96 = mul i32 %v.95, %v.94
  %v.97 = sub i32 %step.90, %v.96
  %v.98 = icmp ne i32 %v.97, 0
  %v.99 = xor i32 %v.97, %v.94
  %v.100 = icmp slt i32 %v.99, 0
  %v.101 = sub i32 %v.95, 1
  %v.102 = and i1 %v.98, %v.100
  %v.103 = select i1 %v.102, i32 %v.101, i32 %v.95
  %v.104 = sub i32 0, %step.90
  %v.105 = select i1 %v.92, i32 %v.104, i32 %v.103
  %v.106 = select i1 %v.91, i32 0, i32 %v.105
  store i32 %v.106, ptr %step.33, align 8
  br label %test.49
end.51:
  store i32 0, ptr %group.107, align 8
  br label %group.108
group.108:
  %group.111 = load i32, ptr %group.107, align 8
  %v.112 = mul i32 %group.111, 4
  %v.113 = insertelement <4 x i32> poison, i32 %v.112, i64 0
  %v.114 = shufflevector <4 x i32> %v.113, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.115 = add <4 x i32> %v.114, <i32 0, i32 1, i32 2, i32 3>
  %v.116 = icmp eq <4 x i32> %v.115, splat (i32 0)
  %v.119 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.116)
  br i1 %v.119, label %arm.117, label %end.118
arm.117:
  %v.120 = load float, ptr %partial.18, align 4
  %v.121 = sext i32 %v.30 to i64
  %at.122 = getelementptr float, ptr %total.6, i64 %v.121
  store float %v.120, ptr %at.122, align 4
  br label %end.118
end.118:
  %v.123 = xor <4 x i1> %v.116, splat (i1 true)
  br label %next.109
next.109:
  %v.124 = add i32 %group.111, 1
  store i32 %v.124, ptr %group.107, align 8
  %v.125 = icmp ult i32 %v.124, 16
  br i1 %v.125, label %group.108, label %threads.110, !llvm.loop !0
threads.110:
  %v.126 = add i64 %block.23, 1
  store i64 %v.126, ptr %block.19, align 8
  %v.127 = icmp slt i64 %v.126, %last
  br i1 %v.127, label %block.20, label %done.21, !llvm.loop !0
done.21:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
