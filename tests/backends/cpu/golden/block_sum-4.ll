target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %partial.5 = alloca [768 x i8], align 64
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %total.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %x.4 = load ptr, ptr %slot.3, align 8
  %v.6 = getelementptr i8, ptr %partial.5, i64 256
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
  %x.17 = alloca i32, align 8
  %y.18 = alloca i32, align 8
  %z.19 = alloca i32, align 8
  %step.38 = alloca i32, align 8
  %group.40 = alloca i32, align 8
  %group.68 = alloca i32, align 8
  br label %start
start:
  %v.23 = icmp slt i64 %first, %last
  br i1 %v.23, label %first.20, label %done.22
first.20:
  store i64 %first, ptr %block.16, align 8
  %v.24 = zext i32 %grid_x to i64
  %v.25 = zext i32 %grid_y to i64
  %v.26 = udiv i64 %first, %v.24
  %v.27 = urem i64 %first, %v.24
  %v.28 = urem i64 %v.26, %v.25
  %v.29 = udiv i64 %v.26, %v.25
  %v.30 = trunc i64 %v.27 to i32
  store i32 %v.30, ptr %x.17, align 8
  %v.31 = trunc i64 %v.28 to i32
  store i32 %v.31, ptr %y.18, align 8
  %v.32 = trunc i64 %v.29 to i32
  store i32 %v.32, ptr %z.19, align 8
  br label %block.21
block.21:
  %block.33 = load i64, ptr %block.16, align 8
  %x.34 = load i32, ptr %x.17, align 8
  %y.35 = load i32, ptr %y.18, align 8
  %z.36 = load i32, ptr %z.19, align 8
  %v.37 = call ptr @llvm.launder.invariant.group.p0(ptr %partial.15)
  %v.39 = mul i32 %x.34, 64
  store i32 0, ptr %group.40, align 8
  br label %group.41
group.41:
  %group.44 = load i32, ptr %group.40, align 8
  %v.45 = mul i32 %group.44, 4
  %v.46 = add i32 %v.39, %v.45
  %v.47 = sext i32 %v.46 to i64
  %at.48 = getelementptr float, ptr %x.12, i64 %v.47
  %v.49 = load <4 x float>, ptr %at.48, align 4
  %v.50 = sext i32 %v.45 to i64
  %at.51 = getelementptr float, ptr %v.37, i64 %v.50
  store <4 x float> %v.49, ptr %at.51, align 4
  br label %next.42
next.42:
  %v.52 = add i32 %group.44, 1
  store i32 %v.52, ptr %group.40, align 8
  %v.53 = icmp ult i32 %v.52, 16
  br i1 %v.53, label %group.41, label %threads.43, !llvm.loop !2
threads.43:
  store i32 32, ptr %step.38, align 8
  br label %test.54
test.54:
  %step.57 = load i32, ptr %step.38, align 8
  %v.58 = icmp sgt i32 %step.57, 0
  br i1 %v.58, label %loop.55, label %end.56
loop.55:
  %step.59 = load i32, ptr %step.38, align 8
  %v.60 = call i32 @llvm.smin.i32(i32 %step.59, i32 64)
  %v.61 = call i32 @llvm.smax.i32(i32 %v.60, i32 -1)
  %v.62 = add i32 %v.61, 1
  %v.63 = call i32 @llvm.smax.i32(i32 %v.61, i32 0)
  %v.64 = call i32 @llvm.smin.i32(i32 %v.62, i32 64)
  %v.65 = call i32 @llvm.smax.i32(i32 0, i32 %v.63)
  %v.66 = add i32 %v.65, 3
  %v.67 = udiv i32 %v.66, 4
  store i32 0, ptr %group.68, align 8
  %v.72 = icmp ult i32 0, %v.67
  br i1 %v.72, label %group.69, label %threads.71
group.69:
  %group.73 = load i32, ptr %group.68, align 8
  %v.74 = mul i32 %group.73, 4
  %v.75 = insertelement <4 x i32> poison, i32 %v.74, i64 0
  %v.76 = shufflevector <4 x i32> %v.75, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.77 = add <4 x i32> %v.76, <i32 0, i32 1, i32 2, i32 3>
  %v.78 = insertelement <4 x i32> poison, i32 %step.59, i64 0
  %v.79 = shufflevector <4 x i32> %v.78, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.80 = icmp slt <4 x i32> %v.77, %v.79
  %v.83 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.80)
  br i1 %v.83, label %arm.81, label %end.82
arm.81:
  %v.84 = sext i32 %v.74 to i64
  %at.85 = getelementptr float, ptr %v.37, i64 %v.84
  %v.86 = load <4 x float>, ptr %at.85, align 4
  %v.87 = freeze <4 x float> %v.86
  %v.88 = select <4 x i1> %v.80, <4 x float> %v.87, <4 x float> zeroinitializer
  %step.89 = load i32, ptr %step.38, align 8
  %v.90 = add i32 %v.74, %step.89
  %v.91 = sext i32 %v.90 to i64
  %at.92 = getelementptr float, ptr %v.37, i64 %v.91
  %v.93 = load <4 x float>, ptr %at.92, align 4
  %v.94 = freeze <4 x float> %v.93
  %v.95 = select <4 x i1> %v.80, <4 x float> %v.94, <4 x float> zeroinitializer
  %v.96 = fadd contract <4 x float> %v.88, %v.95
  %v.97 = sext i32 %v.74 to i64
  %at.98 = getelementptr float, ptr %v.37, i64 %v.97
  %v.99 = load <4 x float>, ptr %at.98, align 4
  %v.100 = select <4 x i1> %v.80, <4 x float> %v.96, <4 x float> %v.99
  store <4 x float> %v.100, ptr %at.98, align 4
  br label %end.82
end.82:
  %v.101 = xor <4 x i1> %v.80, splat (i1 true)
  br label %next.70
next.70:
  %v.102 = add i32 %group.73, 1
  store i32 %v.102, ptr %group.68, align 8
  %v.103 = icmp ult i32 %v.102, %v.67
  br i1 %v.103, label %group.69, label %threads.71, !llvm.loop !0
threads.71:
  %step.104 = load i32, ptr %step.38, align 8
  %v.105 = icmp eq i32 2, 0
  %v.106 = icmp eq i32 2, -1
  %v.107 = or i1 %v.105, %v.106
  %v.108 = select i1 %v.107, i32 1, i32 2
  %v.109 = sdiv i32 %step.104, %v.108
  %v.110 = mul i32 %v.109, %v.108
  %v.111 = sub i32 %step.104, %v.110
  %v.112 = icmp ne i32 %v.111, 0
  %v.113 = xor i32 %v.111, %v.108
  %v.114 = icmp slt i32 %v.113, 0
  %v.115 = sub i32 %v.109, 1
  %v.116 = and i1 %v.112, %v.114
  %v.117 = select i1 %v.116, i32 %v.115, i32 %v.109
  %v.118 = sub i32 0, %step.104
  %v.119 = select i1 %v.106, i32 %v.118, i32 %v.117
  %v.120 = select i1 %v.105, i32 0, i32 %v.119
  store i32 %v.120, ptr %step.38, align 8
  br label %test.54
end.56:
  %v.121 = load float, ptr %v.37, align 4
  %v.122 = sext i32 %x.34 to i64
  %at.123 = getelementptr float, ptr %total.5, i64 %v.122
  store float %v.121, ptr %at.123, align 4
  %v.124 = add i32 %x.34, 1
  %v.125 = icmp eq i32 %v.124, %grid_x
  %v.126 = select i1 %v.125, i32 0, i32 %v.124
  store i32 %v.126, ptr %x.17, align 8
  %v.127 = zext i1 %v.125 to i32
  %v.128 = add i32 %y.35, %v.127
  %v.129 = icmp eq i32 %v.128, %grid_y
  %v.130 = select i1 %v.129, i32 0, i32 %v.128
  store i32 %v.130, ptr %y.18, align 8
  %v.131 = zext i1 %v.129 to i32
  %v.132 = add i32 %z.36, %v.131
  %v.133 = icmp eq i32 %v.132, %grid_z
  %v.134 = select i1 %v.133, i32 0, i32 %v.132
  store i32 %v.134, ptr %z.19, align 8
  %v.135 = zext i1 %v.133 to i32
  %v.136 = add i64 %block.33, 1
  store i64 %v.136, ptr %block.16, align 8
  %v.137 = icmp slt i64 %v.136, %last
  br i1 %v.137, label %block.21, label %done.22, !llvm.loop !0
done.22:
  ret void
}

declare ptr @llvm.launder.invariant.group.p0(ptr)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
