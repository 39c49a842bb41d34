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
  %v.43 = mul i32 %group.42, 1
  %v.44 = mul i32 %x.35, 64
  %v.45 = add i32 %v.44, %v.43
  %v.46 = trunc i64 %extent.9 to i32
  %v.47 = icmp slt i32 %v.45, %v.46
  br i1 %v.47, label %then.48, label %else.49
then.48:
  %v.51 = sext i32 %v.45 to i64
  %at.52 = getelementptr float, ptr %x.12, i64 %v.51
  %v.53 = load float, ptr %at.52, align 4
  %v.54 = fmul contract float %a.16, %v.53
  %v.55 = sext i32 %v.45 to i64
  %at.56 = getelementptr float, ptr %y.5, i64 %v.55
  %v.57 = load float, ptr %at.56, align 4
  %v.58 = fadd contract float %v.54, %v.57
  %v.59 = sext i32 %v.45 to i64
  %at.60 = getelementptr float, ptr %y.5, i64 %v.59
  store float %v.58, ptr %at.60, align 4
  br label %end.50
else.49:
  br label %end.50
end.50:
  br label %next.40
next.40:
  %v.61 = add i32 %group.42, 1
  store i32 %v.61, ptr %group.38, align 8
  %v.62 = icmp ult i32 %v.61, 64
  br i1 %v.62, label %group.39, label %threads.41, !llvm.loop !0
threads.41:
  %v.63 = add i32 %x.35, 1
  %v.64 = icmp eq i32 %v.63, %grid_x
  %v.65 = select i1 %v.64, i32 0, i32 %v.63
  store i32 %v.65, ptr %x.18, align 8
  %v.66 = zext i1 %v.64 to i32
  %v.67 = add i32 %y.36, %v.66
  %v.68 = icmp eq i32 %v.67, %grid_y
  %v.69 = select i1 %v.68, i32 0, i32 %v.67
  store i32 %v.69, ptr %y.19, align 8
  %v.70 = zext i1 %v.68 to i32
  %v.71 = add i32 %z.37, %v.70
  %v.72 = icmp eq i32 %v.71, %grid_z
  %v.73 = select i1 %v.72, i32 0, i32 %v.71
  store i32 %v.73, ptr %z.20, align 8
  %v.74 = zext i1 %v.72 to i32
  %v.75 = add i64 %block.34, 1
  store i64 %v.75, ptr %block.17, align 8
  %v.76 = icmp slt i64 %v.75, %last
  br i1 %v.76, label %block.22, label %done.23, !llvm.loop !0
done.23:
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
