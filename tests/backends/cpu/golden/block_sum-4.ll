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
  %partial.17 = alloca [64 x float], align 64
  %block.18 = alloca i64, align 8
  %step.32 = alloca i32, align 8
  %group.34 = alloca i32, align 8
  %group.54 = alloca i32, align 8
  %group.100 = alloca i32, align 8
  br label %start
start:
  store i64 %first, ptr %block.18, align 8
  %v.21 = icmp slt i64 %first, %last
  br i1 %v.21, label %block.19, label %done.20
block.19:
  %block.22 = load i64, ptr %block.18, align 8
  %v.23 = zext i32 %grid_x to i64
  %v.24 = zext i32 %grid_y to i64
  %v.25 = udiv i64 %block.22, %v.23
  %v.26 = urem i64 %block.22, %v.23
  %v.27 = urem i64 %v.25, %v.24
  %v.28 = udiv i64 %v.25, %v.24
  %v.29 = trunc i64 %v.26 to i32
  %v.30 = trunc i64 %v.27 to i32
  %v.31 = trunc i64 %v.28 to i32
  %v.33 = mul i32 %v.29, 64
  store i32 0, ptr %group.34, align 8
  br label %group.35
group.35:
  %group.38 = load i32, ptr %group.34, align 8
  %v.39 = mul i32 %group.38, 4
  %v.40 = add i32 %v.33, %v.39
  %v.41 = sext i32 %v.40 to i64
  %at.42 = getelementptr float, ptr %x.14, i64 %v.41
  %v.43 = load <4 x float>, ptr %at.42, align 4
  %v.44 = sext i32 %v.39 to i64
  %at.45 = getelementptr float, ptr %partial.17, i64 %v.44
  store <4 x float> %v.43, ptr %at.45, align 4
  br label %next.36
next.36:
  %v.46 = add i32 %group.38, 1
  store i32 %v.46, ptr %group.34, align 8
  %v.47 = icmp ult i32 %v.46, 16
  br i1 %v.47, label %group.35, label %threads.37, !llvm.loop !0
threads.37:
  store i32 32, ptr %step.32, align 8
  br label %test.48
test.48:
  %step.51 = load i32, ptr %step.32, align 8
  %v.52 = icmp sgt i32 %step.51, 0
  br i1 %v.52, label %loop.49, label %end.50
loop.49:
  %step.53 = load i32, ptr %step.32, align 8
  store i32 0, ptr %group.54, align 8
  br label %group.55
group.55:
  %group.58 = load i32, ptr %group.54, align 8
  %v.59 = mul i32 %group.58, 4
  %v.60 = insertelement <4 x i32> poison, i32 %v.59, i64 0
  %v.61 = shufflevector <4 x i32> %v.60, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.62 = add <4 x i32> %v.61, <i32 0, i32 1, i32 2, i32 3>
  %v.63 = insertelement <4 x i32> poison, i32 %step.53, i64 0
  %v.64 = shufflevector <4 x i32> %v.63, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.65 = icmp slt <4 x i32> %v.62, %v.64
  %v.68 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.65)
  br i1 %v.68, label %arm.66, label %end.67
arm.66:
  %v.69 = sext i32 %v.59 to i64
  %at.70 = getelementptr float, ptr %partial.17, i64 %v.69
  %v.71 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %at.70, <4 x i1> %v.65, <4 x float> zeroinitializer)
  %step.72 = load i32, ptr %step.32, align 8
  %v.73 = add i32 %v.59, %step.72
  %v.74 = sext i32 %v.73 to i64
  %at.75 = getelementptr float, ptr %partial.17, i64 %v.74
  %v.76 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %at.75, <4 x i1> %v.65, <4 x float> zeroinitializer)
  %v.77 = fadd contract <4 x float> %v.71, %v.76
  %v.78 = sext i32 %v.59 to i64
  %at.79 = getelementptr float, ptr %partial.17, i64 %v.78
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v.77, ptr align 4 %at.79, <4 x i1> %v.65)
  br label %end.67
end.67:
  %v.80 = xor <4 x i1> %v.65, splat (i1 true)
  br label %next.56
next.56:
  %v.81 = add i32 %group.58, 1
  store i32 %v.81, ptr %group.54, align 8
  %v.82 = icmp ult i32 %v.81, 16
  br i1 %v.82, label %group.55, label %threads.57, !llvm.loop !0
threads.57:
  %step.83 = load i32, ptr %step.32, align 8
  %v.84 = icmp eq i32 2, 0
  %v.85 = icmp eq i32 2, -1
  %v.86 = or i1 %v.84, %v.85
  %v.87 = select i1 %v.86, i32 1, i32 2
  %v.88 = sdiv i32 %step.83, %v.87
  %v.89 = mul i32 %v.88, %v.87
  %v.90 = sub i32 %step.83, %v.89
  %v.91 = icmp ne i32 %v.90, 0
  %v.92 = xor i32 %v.90, %v.87
  %v.93 = icmp slt i32 %v.92, 0
  %v.94 = sub i32 %v.88, 1
  %v.95 = and i1 %v.91, %v.93
  %v.96 = select i1 %v.95, i32 %v.94, i32 %v.88
  %v.97 = sub i32 0, %step.83
  %v.98 = select i1 %v.85, i32 %v.97, i32 %v.96
  %v.99 = select i1 %v.84, i32 0, i32 %v.98
  store i32 %v.99, ptr %step.32, align 8
  br label %test.48
end.50:
  store i32 0, ptr %group.100, align 8
  br label %group.101
group.101:
  %group.104 = load i32, ptr %group.100, align 8
  %v.105 = mul i32 %group.104, 4
  %v.106 = insertelement <4 x i32> poison, i32 %v.105, i64 0
  %v.107 = shufflevector <4 x i32> %v.106, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.108 = add <4 x i32> %v.107, <i32 0, i32 1, i32 2, i32 3>
  %v.109 = icmp eq <4 x i32> %v.108, splat (i32 0)
  %v.112 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.109)
  br i1 %v.112, label %arm.110, label %end.111
arm.110:
  %at.113 = getelementptr float, ptr %partial.17, i64 0
  %v.114 = load float, ptr %at.113, align 4
  %v.115 = sext i32 %v.29 to i64
  %at.116 = getelementptr float, ptr %total.6, i64 %v.115
  store float %v.114, ptr %at.116, align 4
  br label %end.111
end.111:
  %v.117 = xor <4 x i1> %v.109, splat (i1 true)
  br label %next.102
next.102:
  %v.118 = add i32 %group.104, 1
  store i32 %v.118, ptr %group.100, align 8
  %v.119 = icmp ult i32 %v.118, 16
  br i1 %v.119, label %group.101, label %threads.103, !llvm.loop !0
threads.103:
  %v.120 = add i64 %block.22, 1
  store i64 %v.120, ptr %block.18, align 8
  %v.121 = icmp slt i64 %v.120, %last
  br i1 %v.121, label %block.19, label %done.20, !llvm.loop !0
done.20:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
