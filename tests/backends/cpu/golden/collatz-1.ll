target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %lengths.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %n.4 = load ptr, ptr %slot.3, align 8
  call void @blocks(ptr %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr %lengths.2, ptr %n.4)
  ret void
}

define internal void @blocks(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr noalias %lengths.5, ptr noalias %n.12) noinline #0 {
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
  %block.15 = alloca i64, align 8
  %length.29 = alloca i32, align 64
  %k.30 = alloca i32, align 64
  %group.31 = alloca i32, align 8
  br label %start
start:
  store i64 %first, ptr %block.15, align 8
  %v.18 = icmp slt i64 %first, %last
  br i1 %v.18, label %block.16, label %done.17
block.16:
  %block.19 = load i64, ptr %block.15, align 8
  %v.20 = zext i32 %grid_x to i64
  %v.21 = zext i32 %grid_y to i64
  %v.22 = udiv i64 %block.19, %v.20
  %v.23 = urem i64 %block.19, %v.20
  %v.24 = urem i64 %v.22, %v.21
  %v.25 = udiv i64 %v.22, %v.21
  %v.26 = trunc i64 %v.23 to i32
  %v.27 = trunc i64 %v.24 to i32
  %v.28 = trunc i64 %v.25 to i32
  store i32 0, ptr %group.31, align 8
  br label %group.32
group.32:
  %group.35 = load i32, ptr %group.31, align 8
  %v.36 = mul i32 %group.35, 1
  %v.37 = mul i32 %v.26, 64
  %v.38 = add i32 %v.37, %v.36
  store i32 0, ptr %length.29, align 8
  %v.39 = sext i32 %v.38 to i64
  %at.40 = getelementptr i32, ptr %n.12, i64 %v.39
  %v.41 = load i32, ptr %at.40, align 4
  store i32 %v.41, ptr %k.30, align 8
  br label %test.42
test.42:
  %k.45 = load i32, ptr %k.30, align 8
  %v.46 = icmp sgt i32 %k.45, 1
  br i1 %v.46, label %loop.43, label %end.44
loop.43:
  %k.47 = load i32, ptr %k.30, align 8
  %v.48 = icmp eq i32 2, 0
  %v.49 = icmp eq i32 2, -1
  %v.50 = or i1 %v.48, %v.49
  %v.51 = select i1 %v.50, i32 1, i32 2
  %v.52 = sdiv i32 %k.47, %v.51
  %v.53 = mul i32 %v.52, %v.51
  %v.54 = sub i32 %k.47, %v.53
  %v.55 = icmp ne i32 %v.54, 0
  %v.56 = xor i32 %v.54, %v.51
  %v.57 = icmp slt i32 %v.56, 0
  %v.58 = sub i32 %v.52, 1
  %v.59 = and i1 %v.55, %v.57
  %v.60 = select i1 %v.59, i32 %v.58, i32 %v.52
  %v.61 = sub i32 0, %k.47
  %v.62 = select i1 %v.49, i32 %v.61, i32 %v.60
  %v.63 = select i1 %v.48, i32 0, i32 %v.62
  %v.64 = mul i32 2, %v.63
  %v.65 = sub i32 %k.47, %v.64
  %v.66 = icmp eq i32 %v.65, 0
  br i1 %v.66, label %then.67, label %else.68
then.67:
  %k.70 = load i32, ptr %k.30, align 8
  %v.71 = icmp eq i32 2, 0
  %v.72 = icmp eq i32 2, -1
  %v.73 = or i1 %v.71, %v.72
  %v.74 = select i1 %v.73, i32 1, i32 2
  %v.75 = sdiv i32 %k.70, %v.74
  %v.76 = mul i32 %v.75, %v.74
  %v.77 = sub i32 %k.70, %v.76
  %v.78 = icmp ne i32 %v.77, 0
  %v.79 = xor i32 %v.77, %v.74
  %v.80 = icmp slt i32 %v.79, 0
  %v.81 = sub i32 %v.75, 1
  %v.82 = and i1 %v.78, %v.80
  %v.83 = select i1 %v.82, i32 %v.81, i32 %v.75
  %v.84 = sub i32 0, %k.70
  %v.85 = select i1 %v.72, i32 %v.84, i32 %v.83
  %v.86 = select i1 %v.71, i32 0, i32 %v.85
  store i32 %v.86, ptr %k.30, align 8
  br label %end.69
else.68:
  %k.87 = load i32, ptr %k.30, align 8
  %v.88 = mul i32 3, %k.87
  %v.89 = add i32 %v.88, 1
  store i32 %v.89, ptr %k.30, align 8
  br label %end.69
end.69:
  %length.90 = load i32, ptr %length.29, align 8
  %v.91 = add i32 %length.90, 1
  store i32 %v.91, ptr %length.29, align 8
  %length.92 = load i32, ptr %length.29, align 8
  %v.93 = icmp eq i32 %length.92, 100
  br i1 %v.93, label %then.94, label %else.95
then.94:
  br label %end.44
else.95:
  br label %end.96
end.96:
  br label %test.42, !llvm.loop !0
end.44:
  %length.97 = load i32, ptr %length.29, align 8
  %v.98 = sext i32 %v.38 to i64
  %at.99 = getelementptr i32, ptr %lengths.5, i64 %v.98
  store i32 %length.97, ptr %at.99, align 4
  br label %next.33
next.33:
  %v.100 = add i32 %group.35, 1
  store i32 %v.100, ptr %group.31, align 8
  %v.101 = icmp ult i32 %v.100, 64
  br i1 %v.101, label %group.32, label %threads.34, !llvm.loop !0
threads.34:
  %v.102 = add i64 %block.19, 1
  store i64 %v.102, ptr %block.15, align 8
  %v.103 = icmp slt i64 %v.102, %last
  br i1 %v.103, label %block.16, label %done.17, !llvm.loop !0
done.17:
  ret void
}


attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
