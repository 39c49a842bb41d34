target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %y.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %x.4 = load ptr, ptr %slot.3, align 8
  call void @blocks(ptr %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr %y.2, ptr %x.4)
  ret void
}

define internal void @blocks(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr noalias %y.5, ptr noalias %x.12) noinline #0 {
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
  %slot.15 = getelementptr i64, ptr %arguments, i64 8
  %a.16 = load float, ptr %slot.15, align 8
  %block.17 = alloca i64, align 8
  %group.31 = alloca i32, align 8
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
  store i32 0, ptr %group.31, align 8
  br label %group.32
group.32:
  %group.35 = load i32, ptr %group.31, align 8
  %v.36 = mul i32 %group.35, 4
  %v.37 = mul i32 %v.28, 64
  %v.38 = add i32 %v.37, %v.36
  %v.39 = trunc i64 %extent.9 to i32
  %v.40 = insertelement <4 x i32> poison, i32 %v.38, i64 0
  %v.41 = shufflevector <4 x i32> %v.40, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.42 = add <4 x i32> %v.41, <i32 0, i32 1, i32 2, i32 3>
  %v.43 = insertelement <4 x i32> poison, i32 %v.39, i64 0
  %v.44 = shufflevector <4 x i32> %v.43, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.45 = icmp slt <4 x i32> %v.42, %v.44
  %v.48 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.45)
  br i1 %v.48, label %arm.46, label %end.47
arm.46:
  %v.49 = sext i32 %v.38 to i64
  %at.50 = getelementptr float, ptr %x.12, i64 %v.49
  %v.51 = load <4 x float>, ptr %at.50, align 4
  %v.52 = freeze <4 x float> %v.51
  %v.53 = select <4 x i1> %v.45, <4 x float> %v.52, <4 x float> zeroinitializer
  %v.54 = insertelement <4 x float> poison, float %a.16, i64 0
  %v.55 = shufflevector <4 x float> %v.54, <4 x float> poison, <4 x i32> zeroinitializer
  %v.56 = fmul contract <4 x float> %v.55, %v.53
  %v.57 = sext i32 %v.38 to i64
  %at.58 = getelementptr float, ptr %y.5, i64 %v.57
  %v.59 = load <4 x float>, ptr %at.58, align 4
  %v.60 = freeze <4 x float> %v.59
  %v.61 = select <4 x i1> %v.45, <4 x float> %v.60, <4 x float> zeroinitializer
  %v.62 = fadd contract <4 x float> %v.56, %v.61
  %v.63 = sext i32 %v.38 to i64
  %at.64 = getelementptr float, ptr %y.5, i64 %v.63
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v.62, ptr align 4 %at.64, <4 x i1> %v.45)
  br label %end.47
end.47:
  %v.65 = xor <4 x i1> %v.45, splat (i1 true)
  br label %next.33
next.33:
  %v.66 = add i32 %group.35, 1
  store i32 %v.66, ptr %group.31, align 8
  %v.67 = icmp ult i32 %v.66, 16
  br i1 %v.67, label %group.32, label %threads.34, !llvm.loop !0
threads.34:
  %v.68 = add i64 %block.21, 1
  store i64 %v.68, ptr %block.17, align 8
  %v.69 = icmp slt i64 %v.68, %last
  br i1 %v.69, label %block.18, label %done.19, !llvm.loop !0
done.19:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
