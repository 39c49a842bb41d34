target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
entry:
  %slot.1 = getelementptr i64, ptr %arguments, i64 1
  %extent.2 = load i64, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 2
  %stride.4 = load i64, ptr %slot.3, align 8
  %slot.5 = getelementptr i64, ptr %arguments, i64 0
  %y.6 = load ptr, ptr %slot.5, align 8
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
  %slot.17 = getelementptr i64, ptr %arguments, i64 8
  %a.18 = load float, ptr %slot.17, align 8
  %block.19 = alloca i64, align 8
  %group.33 = alloca i32, align 8
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
  store i32 0, ptr %group.33, align 8
  br label %group.34
group.34:
  %group.37 = load i32, ptr %group.33, align 8
  %v.38 = mul i32 %group.37, 4
  %v.39 = mul i32 %v.30, 64
  %v.40 = add i32 %v.39, %v.38
  %v.41 = trunc i64 %extent.10 to i32
  %v.42 = insertelement <4 x i32> poison, i32 %v.40, i64 0
  %v.43 = shufflevector <4 x i32> %v.42, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.44 = add <4 x i32> %v.43, <i32 0, i32 1, i32 2, i32 3>
  %v.45 = insertelement <4 x i32> poison, i32 %v.41, i64 0
  %v.46 = shufflevector <4 x i32> %v.45, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.47 = icmp slt <4 x i32> %v.44, %v.46
  %v.50 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.47)
  br i1 %v.50, label %arm.48, label %end.49
arm.48:
  %v.51 = sext i32 %v.40 to i64
  %at.52 = getelementptr float, ptr %x.14, i64 %v.51
  %v.53 = load <4 x float>, ptr %at.52, align 4
  %v.54 = freeze <4 x float> %v.53
  %v.55 = select <4 x i1> %v.47, <4 x float> %v.54, <4 x float> zeroinitializer
  %v.56 = insertelement <4 x float> poison, float %a.18, i64 0
  %v.57 = shufflevector <4 x float> %v.56, <4 x float> poison, <4 x i32> zeroinitializer
  %v.58 = fmul contract <4 x float> %v.57, %v.55
  %v.59 = sext i32 %v.40 to i64
  %at.60 = getelementptr float, ptr %y.6, i64 %v.59
  %v.61 = load <4 x float>, ptr %at.60, align 4
  %v.62 = freeze <4 x float> %v.61
  %v.63 = select <4 x i1> %v.47, <4 x float> %v.62, <4 x float> zeroinitializer
  %v.64 = fadd contract <4 x float> %v.58, %v.63
  %v.65 = sext i32 %v.40 to i64
  %at.66 = getelementptr float, ptr %y.6, i64 %v.65
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v.64, ptr align 4 %at.66, <4 x i1> %v.47)
  br label %end.49
end.49:
  %v.67 = xor <4 x i1> %v.47, splat (i1 true)
  br label %next.35
next.35:
  %v.68 = add i32 %group.37, 1
  store i32 %v.68, ptr %group.33, align 8
  %v.69 = icmp ult i32 %v.68, 16
  br i1 %v.69, label %group.34, label %threads.36, !llvm.loop !0
threads.36:
  %v.70 = add i64 %block.23, 1
  store i64 %v.70, ptr %block.19, align 8
  %v.71 = icmp slt i64 %v.70, %last
  br i1 %v.71, label %block.20, label %done.21, !llvm.loop !0
done.21:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
