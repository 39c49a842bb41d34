target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %partial.5 = alloca [512 x i8], align 64
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %total.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %x.4 = load ptr, ptr %slot.3, align 8
  %v.6 = getelementptr i8, ptr %partial.5, i64 128
  call void @blocks(ptr %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr %total.2, ptr %x.4, ptr %v.6)
  ret void
}

define internal void @blocks(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr noalias %total.5, ptr noalias %x.12, ptr noalias align 64 %partial.15) noinline #0 {
entry:
  %slot.1 = getelementptr i64, ptr %arguments, i64 1
  %extent.2 = load i64, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 2
  %stride.4 = load i64, ptr %slot.3, align 8
  %slot.6 = getelementptr i64, ptr %arguments, i64 3
  %component.7 = load i64, ptr %slot.6, align 8
  %slot.8 = getelementptr i64, ptr %arguments, i64 5
  %extent.9 = load i64, ptr %slot.8, align 8
  %slot.10 = getelementptr i64, ptr %arguments, i64 6
  %stride.11 = load i64, ptr %slot.10, align 8
  %slot.13 = getelementptr i64, ptr %arguments, i64 7
  %component.14 = load i64, ptr %slot.13, align 8
  %block.16 = alloca i64, align 8
  %step.30 = alloca i32, align 8
  %group.32 = alloca i32, align 8
  %group.59 = alloca i32, align 8
  %group.112 = alloca i32, align 8
  br label %start
start:
  store i64 %first, ptr %block.16, align 8
  %v.19 = icmp slt i64 %first, %last
  br i1 %v.19, label %block.17, label %done.18
block.17:
  %block.20 = load i64, ptr %block.16, align 8
  %v.21 = zext i32 %grid_x to i64
  %v.22 = zext i32 %grid_y to i64
  %v.23 = udiv i64 %block.20, %v.21
  %v.24 = urem i64 %block.20, %v.21
  %v.25 = urem i64 %v.23, %v.22
  %v.26 = udiv i64 %v.23, %v.22
  %v.27 = trunc i64 %v.24 to i32
  %v.28 = trunc i64 %v.25 to i32
  %v.29 = trunc i64 %v.26 to i32
  %v.31 = mul i32 %v.27, 64
  store i32 0, ptr %group.32, align 8
  br label %group.33
group.33:
  %group.36 = load i32, ptr %group.32, align 8
  %v.37 = mul i32 %group.36, 4
  %v.38 = add i32 %v.31, %v.37
  %v.39 = sext i32 %v.38 to i64
  %at.40 = getelementptr float, ptr %x.12, i64 %v.39
  %v.41 = load <4 x float>, ptr %at.40, align 4
  %v.42 = sext i32 %v.37 to i64
  %at.43 = getelementptr float, ptr %partial.15, i64 %v.42
  store <4 x float> %v.41, ptr %at.43, align 4
  br label %next.34
next.34:
  %v.44 = add i32 %group.36, 1
  store i32 %v.44, ptr %group.32, align 8
  %v.45 = icmp ult i32 %v.44, 16
  br i1 %v.45, label %group.33, label %threads.35, !llvm.loop !2
threads.35:
  store i32 32, ptr %step.30, align 8
  br label %test.46
test.46:
  %step.49 = load i32, ptr %step.30, align 8
  %v.50 = icmp sgt i32 %step.49, 0
  br i1 %v.50, label %loop.47, label %end.48
loop.47:
  %step.51 = load i32, ptr %step.30, align 8
  %v.52 = call i32 @llvm.smin.i32(i32 %step.51, i32 64)
  %v.53 = call i32 @llvm.smax.i32(i32 %v.52, i32 -1)
  %v.54 = add i32 %v.53, 1
  %v.55 = call i32 @llvm.smax.i32(i32 %v.53, i32 0)
  %v.56 = call i32 @llvm.smin.i32(i32 %v.54, i32 64)
  %v.57 = add i32 %v.55, 3
  %v.58 = udiv i32 %v.57, 4
  store i32 0, ptr %group.59, align 8
  %v.63 = icmp ult i32 0, %v.58
  br i1 %v.63, label %group.60, label %threads.62
group.60:
  %group.64 = load i32, ptr %group.59, align 8
  %v.65 = mul i32 %group.64, 4
  %v.66 = insertelement <4 x i32> poison, i32 %v.65, i64 0
  %v.67 = shufflevector <4 x i32> %v.66, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.68 = add <4 x i32> %v.67, <i32 0, i32 1, i32 2, i32 3>
  %v.69 = insertelement <4 x i32> poison, i32 %step.51, i64 0
  %v.70 = shufflevector <4 x i32> %v.69, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.71 = icmp slt <4 x i32> %v.68, %v.70
  %v.74 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.71)
  br i1 %v.74, label %arm.72, label %end.73
arm.72:
  %v.75 = sext i32 %v.65 to i64
  %at.76 = getelementptr float, ptr %partial.15, i64 %v.75
  %v.77 = load <4 x float>, ptr %at.76, align 4
  %v.78 = freeze <4 x float> %v.77
  %v.79 = select <4 x i1> %v.71, <4 x float> %v.78, <4 x float> zeroinitializer
  %step.80 = load i32, ptr %step.30, align 8
  %v.81 = add i32 %v.65, %step.80
  %v.82 = sext i32 %v.81 to i64
  %at.83 = getelementptr float, ptr %partial.15, i64 %v.82
  %v.84 = load <4 x float>, ptr %at.83, align 4
  %v.85 = freeze <4 x float> %v.84
  %v.86 = select <4 x i1> %v.71, <4 x float> %v.85, <4 x float> zeroinitializer
  %v.87 = fadd contract <4 x float> %v.79, %v.86
  %v.88 = sext i32 %v.65 to i64
  %at.89 = getelementptr float, ptr %partial.15, i64 %v.88
  %v.90 = load <4 x float>, ptr %at.89, align 4
  %v.91 = select <4 x i1> %v.71, <4 x float> %v.87, <4 x float> %v.90
  store <4 x float> %v.91, ptr %at.89, align 4
  br label %end.73
end.73:
  %v.92 = xor <4 x i1> %v.71, splat (i1 true)
  br label %next.61
next.61:
  %v.93 = add i32 %group.64, 1
  store i32 %v.93, ptr %group.59, align 8
  %v.94 = icmp ult i32 %v.93, %v.58
  br i1 %v.94, label %group.60, label %threads.62, !llvm.loop !0
threads.62:
  %step.95 = load i32, ptr %step.30, align 8
  %v.96 = icmp eq i32 2, 0
  %v.97 = icmp eq i32 2, -1
  %v.98 = or i1 %v.96, %v.97
  %v.99 = select i1 %v.98, i32 1, i32 2
  %v.100 = sdiv i32 %step.95, %v.99
  %v.101 = mul i32 %v.100, %v.99
  %v.102 = sub i32 %step.95, %v.101
  %v.103 = icmp ne i32 %v.102, 0
  %v.104 = xor i32 %v.102, %v.99
  %v.105 = icmp slt i32 %v.104, 0
  %v.106 = sub i32 %v.100, 1
  %v.107 = and i1 %v.103, %v.105
  %v.108 = select i1 %v.107, i32 %v.106, i32 %v.100
  %v.109 = sub i32 0, %step.95
  %v.110 = select i1 %v.97, i32 %v.109, i32 %v.108
  %v.111 = select i1 %v.96, i32 0, i32 %v.110
  store i32 %v.111, ptr %step.30, align 8
  br label %test.46
end.48:
  store i32 0, ptr %group.112, align 8
  br label %group.113
group.113:
  %group.116 = load i32, ptr %group.112, align 8
  %v.117 = mul i32 %group.116, 4
  %v.118 = insertelement <4 x i32> poison, i32 %v.117, i64 0
  %v.119 = shufflevector <4 x i32> %v.118, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.120 = add <4 x i32> %v.119, <i32 0, i32 1, i32 2, i32 3>
  %v.121 = icmp eq <4 x i32> %v.120, splat (i32 0)
  %v.124 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.121)
  br i1 %v.124, label %arm.122, label %end.123
arm.122:
  %v.125 = load float, ptr %partial.15, align 4
  %v.126 = sext i32 %v.27 to i64
  %at.127 = getelementptr float, ptr %total.5, i64 %v.126
  store float %v.125, ptr %at.127, align 4
  br label %end.123
end.123:
  %v.128 = xor <4 x i1> %v.121, splat (i1 true)
  br label %next.114
next.114:
  %v.129 = add i32 %group.116, 1
  store i32 %v.129, ptr %group.112, align 8
  %v.130 = icmp ult i32 %v.129, 1
  br i1 %v.130, label %group.113, label %threads.115, !llvm.loop !2
threads.115:
  %v.131 = add i64 %block.20, 1
  store i64 %v.131, ptr %block.16, align 8
  %v.132 = icmp slt i64 %v.131, %last
  br i1 %v.132, label %block.17, label %done.18, !llvm.loop !0
done.18:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
