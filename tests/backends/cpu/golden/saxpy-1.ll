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
  %v.36 = mul i32 %group.35, 1
  %v.37 = mul i32 %v.28, 64
  %v.38 = add i32 %v.37, %v.36
  %v.39 = trunc i64 %extent.9 to i32
  %v.40 = icmp slt i32 %v.38, %v.39
  br i1 %v.40, label %then.41, label %else.42
then.41:
  %v.44 = sext i32 %v.38 to i64
  %at.45 = getelementptr float, ptr %x.12, i64 %v.44
  %v.46 = load float, ptr %at.45, align 4
  %v.47 = fmul contract float %a.16, %v.46
  %v.48 = sext i32 %v.38 to i64
  %at.49 = getelementptr float, ptr %y.5, i64 %v.48
  %v.50 = load float, ptr %at.49, align 4
  %v.51 = fadd contract float %v.47, %v.50
  %v.52 = sext i32 %v.38 to i64
  %at.53 = getelementptr float, ptr %y.5, i64 %v.52
  store float %v.51, ptr %at.53, align 4
  br label %end.43
else.42:
  br label %end.43
end.43:
  br label %next.33
next.33:
  %v.54 = add i32 %group.35, 1
  store i32 %v.54, ptr %group.31, align 8
  %v.55 = icmp ult i32 %v.54, 64
  br i1 %v.55, label %group.32, label %threads.34, !llvm.loop !0
threads.34:
  %v.56 = add i64 %block.21, 1
  store i64 %v.56, ptr %block.17, align 8
  %v.57 = icmp slt i64 %v.56, %last
  br i1 %v.57, label %block.18, label %done.19, !llvm.loop !0
done.19:
  ret void
}


attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
