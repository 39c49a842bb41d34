target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
entry:
  %slot.1 = getelementptr i64, ptr %arguments, i64 1
  %extent.2 = load i64, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 2
  %stride.4 = load i64, ptr %slot.3, align 8
  %slot.5 = getelementptr i64, ptr %arguments, i64 0
  %lengths.6 = load ptr, ptr %slot.5, align 8
  %slot.7 = getelementptr i64, ptr %arguments, i64 3
  %component.8 = load i64, ptr %slot.7, align 8
  %slot.9 = getelementptr i64, ptr %arguments, i64 5
  %extent.10 = load i64, ptr %slot.9, align 8
  %slot.11 = getelementptr i64, ptr %arguments, i64 6
  %stride.12 = load i64, ptr %slot.11, align 8
  %slot.13 = getelementptr i64, ptr %arguments, i64 4
  %n.14 = load ptr, ptr %slot.13, align 8
  %slot.15 = getelementptr i64, ptr %arguments, i64 7
  %component.16 = load i64, ptr %slot.15, align 8
  %block.17 = alloca i64, align 8
  %length.31 = alloca i32, align 64
  %k.32 = alloca i32, align 64
  %group.33 = alloca i32, align 8
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
  store i32 0, ptr %group.33, align 8
  br label %group.34
group.34:
  %group.37 = load i32, ptr %group.33, align 8
  %v.38 = mul i32 %group.37, 1
  %v.39 = mul i32 %v.28, 64
  %v.40 = add i32 %v.39, %v.38
  store i32 0, ptr %length.31, align 8
  %v.41 = sext i32 %v.40 to i64
  %at.42 = getelementptr i32, ptr %n.14, i64 %v.41
  %v.43 = load i32, ptr %at.42, align 4
  store i32 %v.43, ptr %k.32, align 8
  br label %test.44
test.44:
  %k.47 = load i32, ptr %k.32, align 8
  %v.48 = icmp sgt i32 %k.47, 1
  br i1 %v.48, label %loop.45, label %end.46
loop.45:
  %k.49 = load i32, ptr %k.32, align 8
  %v.50 = icmp eq i32 2, 0
  %v.51 = icmp eq i32 2, -1
  %v.52 = or i1 %v.50, %v.51
  %v.53 = select i1 %v.52, i32 1, i32 2
  %v.54 = sdiv i32 %k.49, %v.53
  %v.55 = mul i32 %v.54, %v.53
  %v.56 = sub i32 %k.49, %v.55
  %v.57 = icmp ne i32 %v.56, 0
  %v.58 = xor i32 %v.56, %v.53
  %v.59 = icmp slt i32 %v.58, 0
  %v.60 = sub i32 %v.54, 1
  %v.61 = and i1 %v.57, %v.59
  %v.62 = select i1 %v.61, i32 %v.60, i32 %v.54
  %v.63 = sub i32 0, %k.49
  %v.64 = select i1 %v.51, i32 %v.63, i32 %v.62
  %v.65 = select i1 %v.50, i32 0, i32 %v.64
  %v.66 = mul i32 2, %v.65
  %v.67 = sub i32 %k.49, %v.66
  %v.68 = icmp eq i32 %v.67, 0
  br i1 %v.68, label %then.69, label %else.70
then.69:
  %k.72 = load i32, ptr %k.32, align 8
  %v.73 = icmp eq i32 2, 0
  %v.74 = icmp eq i32 2, -1
  %v.75 = or i1 %v.73, %v.74
  %v.76 = select i1 %v.75, i32 1, i32 2
  %v.77 = sdiv i32 %k.72, %v.76
  %v.78 = mul i32 %v.77, %v.76
  %v.79 = sub i32 %k.72, %v.78
  %v.80 = icmp ne i32 %v.79, 0
  %v.81 = xor i32 %v.79, %v.76
  %v.82 = icmp slt i32 %v.81, 0
  %v.83 = sub i32 %v.77, 1
  %v.84 = and i1 %v.80, %v.82
  %v.85 = select i1 %v.84, i32 %v.83, i32 %v.77
  %v.86 = sub i32 0, %k.72
  %v.87 = select i1 %v.74, i32 %v.86, i32 %v.85
  %v.88 = select i1 %v.73, i32 0, i32 %v.87
  store i32 %v.88, ptr %k.32, align 8
  br label %end.71
else.70:
  %k.89 = load i32, ptr %k.32, align 8
  %v.90 = mul i32 3, %k.89
  %v.91 = add i32 %v.90, 1
  store i32 %v.91, ptr %k.32, align 8
  br label %end.71
end.71:
  %length.92 = load i32, ptr %length.31, align 8
  %v.93 = add i32 %length.92, 1
  store i32 %v.93, ptr %length.31, align 8
  %length.94 = load i32, ptr %length.31, align 8
  %v.95 = icmp eq i32 %length.94, 100
  br i1 %v.95, label %then.96, label %else.97
then.96:
  br label %end.46
else.97:
  br label %end.98
end.98:
  br label %test.44, !llvm.loop !0
end.46:
  %length.99 = load i32, ptr %length.31, align 8
  %v.100 = sext i32 %v.40 to i64
  %at.101 = getelementptr i32, ptr %lengths.6, i64 %v.100
  store i32 %length.99, ptr %at.101, align 4
  br label %next.35
next.35:
  %v.102 = add i32 %group.37, 1
  store i32 %v.102, ptr %group.33, align 8
  %v.103 = icmp ult i32 %v.102, 64
  br i1 %v.103, label %group.34, label %threads.36, !llvm.loop !0
threads.36:
  %v.104 = add i64 %block.21, 1
  store i64 %v.104, ptr %block.17, align 8
  %v.105 = icmp slt i64 %v.104, %last
  br i1 %v.105, label %block.18, label %done.19, !llvm.loop !0
done.19:
  ret void
}


attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
