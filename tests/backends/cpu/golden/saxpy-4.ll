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
  %x.18 = alloca i32, align 8
  %y.19 = alloca i32, align 8
  %z.20 = alloca i32, align 8
  %group.38 = alloca i32, align 8
  br label %start
start:
  %v.24 = icmp slt i64 %first, %last
  br i1 %v.24, label %first.21, label %done.23
first.21:
  store i64 %first, ptr %block.17, align 8
  %v.25 = zext i32 %grid_x to i64
  %v.26 = zext i32 %grid_y to i64
  %v.27 = udiv i64 %first, %v.25
  %v.28 = urem i64 %first, %v.25
  %v.29 = urem i64 %v.27, %v.26
  %v.30 = udiv i64 %v.27, %v.26
  %v.31 = trunc i64 %v.28 to i32
  store i32 %v.31, ptr %x.18, align 8
  %v.32 = trunc i64 %v.29 to i32
  store i32 %v.32, ptr %y.19, align 8
  %v.33 = trunc i64 %v.30 to i32
  store i32 %v.33, ptr %z.20, align 8
  br label %block.22
block.22:
  %block.34 = load i64, ptr %block.17, align 8
  %x.35 = load i32, ptr %x.18, align 8
  %y.36 = load i32, ptr %y.19, align 8
  %z.37 = load i32, ptr %z.20, align 8
  store i32 0, ptr %group.38, align 8
  br label %group.39
group.39:
  %group.42 = load i32, ptr %group.38, align 8
  %v.43 = mul i32 %group.42, 4
  %v.44 = mul i32 %x.35, 64
  %v.45 = add i32 %v.44, %v.43
  %v.46 = trunc i64 %extent.9 to i32
  %v.47 = insertelement <4 x i32> poison, i32 %v.45, i64 0
  %v.48 = shufflevector <4 x i32> %v.47, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.49 = add <4 x i32> %v.48, <i32 0, i32 1, i32 2, i32 3>
  %v.50 = insertelement <4 x i32> poison, i32 %v.46, i64 0
  %v.51 = shufflevector <4 x i32> %v.50, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.52 = icmp slt <4 x i32> %v.49, %v.51
  %v.55 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.52)
  br i1 %v.55, label %arm.53, label %end.54
arm.53:
  %v.56 = sext i32 %v.45 to i64
  %at.57 = getelementptr float, ptr %x.12, i64 %v.56
  %v.58 = load <4 x float>, ptr %at.57, align 4
  %v.59 = freeze <4 x float> %v.58
  %v.60 = select <4 x i1> %v.52, <4 x float> %v.59, <4 x float> zeroinitializer
  %v.61 = insertelement <4 x float> poison, float %a.16, i64 0
  %v.62 = shufflevector <4 x float> %v.61, <4 x float> poison, <4 x i32> zeroinitializer
  %v.63 = fmul contract <4 x float> %v.62, %v.60
  %v.64 = sext i32 %v.45 to i64
  %at.65 = getelementptr float, ptr %y.5, i64 %v.64
  %v.66 = load <4 x float>, ptr %at.65, align 4
  %v.67 = freeze <4 x float> %v.66
  %v.68 = select <4 x i1> %v.52, <4 x float> %v.67, <4 x float> zeroinitializer
  %v.69 = fadd contract <4 x float> %v.63, %v.68
  %v.70 = sext i32 %v.45 to i64
  %at.71 = getelementptr float, ptr %y.5, i64 %v.70
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v.69, ptr align 4 %at.71, <4 x i1> %v.52)
  br label %end.54
end.54:
  %v.72 = xor <4 x i1> %v.52, splat (i1 true)
  br label %next.40
next.40:
  %v.73 = add i32 %group.42, 1
  store i32 %v.73, ptr %group.38, align 8
  %v.74 = icmp ult i32 %v.73, 16
  br i1 %v.74, label %group.39, label %threads.41, !llvm.loop !0
threads.41:
  %v.75 = add i32 %x.35, 1
  %v.76 = icmp eq i32 %v.75, %grid_x
  %v.77 = select i1 %v.76, i32 0, i32 %v.75
  store i32 %v.77, ptr %x.18, align 8
  %v.78 = zext i1 %v.76 to i32
  %v.79 = add i32 %y.36, %v.78
  %v.80 = icmp eq i32 %v.79, %grid_y
  %v.81 = select i1 %v.80, i32 0, i32 %v.79
  store i32 %v.81, ptr %y.19, align 8
  %v.82 = zext i1 %v.80 to i32
  %v.83 = add i32 %z.37, %v.82
  %v.84 = icmp eq i32 %v.83, %grid_z
  %v.85 = select i1 %v.84, i32 0, i32 %v.83
  store i32 %v.85, ptr %z.20, align 8
  %v.86 = zext i1 %v.84 to i32
  %v.87 = add i64 %block.34, 1
  store i64 %v.87, ptr %block.17, align 8
  %v.88 = icmp slt i64 %v.87, %last
  br i1 %v.88, label %block.22, label %done.23, !llvm.loop !0
done.23:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
