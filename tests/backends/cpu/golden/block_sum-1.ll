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
  %partial.17 = alloca [512 x i8], align 64
  %partial.18 = getelementptr i8, ptr %partial.17, i64 128
  %block.19 = alloca i64, align 8
  %step.33 = alloca i32, align 8
  %group.35 = alloca i32, align 8
  %group.55 = alloca i32, align 8
  %group.95 = alloca i32, align 8
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
  %v.34 = mul i32 %v.30, 64
  store i32 0, ptr %group.35, align 8
  br label %group.36
group.36:
  %group.39 = load i32, ptr %group.35, align 8
  %v.40 = mul i32 %group.39, 1
  %v.41 = add i32 %v.34, %v.40
  %v.42 = sext i32 %v.41 to i64
  %at.43 = getelementptr float, ptr %x.14, i64 %v.42
  %v.44 = load float, ptr %at.43, align 4
  %v.45 = sext i32 %v.40 to i64
  %at.46 = getelementptr float, ptr %partial.18, i64 %v.45
  store float %v.44, ptr %at.46, align 4
  br label %next.37
next.37:
  %v.47 = add i32 %group.39, 1
  store i32 %v.47, ptr %group.35, align 8
  %v.48 = icmp ult i32 %v.47, 64
  br i1 %v.48, label %group.36, label %threads.38, !llvm.loop !0
threads.38:
  store i32 32, ptr %step.33, align 8
  br label %test.49
test.49:
  %step.52 = load i32, ptr %step.33, align 8
  %v.53 = icmp sgt i32 %step.52, 0
  br i1 %v.53, label %loop.50, label %end.51
loop.50:
  %step.54 = load i32, ptr %step.33, align 8
  store i32 0, ptr %group.55, align 8
  br label %group.56
group.56:
  %group.59 = load i32, ptr %group.55, align 8
  %v.60 = mul i32 %group.59, 1
  %v.61 = icmp slt i32 %v.60, %step.54
  br i1 %v.61, label %then.62, label %else.63
then.62:
  %v.65 = sext i32 %v.60 to i64
  %at.66 = getelementptr float, ptr %partial.18, i64 %v.65
  %v.67 = load float, ptr %at.66, align 4
  %step.68 = load i32, ptr %step.33, align 8
  %v.69 = add i32 %v.60, %step.68
  %v.70 = sext i32 %v.69 to i64
  %at.71 = getelementptr float, ptr %partial.18, i64 %v.70
  %v.72 = load float, ptr %at.71, align 4
  %v.73 = fadd contract float %v.67, %v.72
  %v.74 = sext i32 %v.60 to i64
  %at.75 = getelementptr float, ptr %partial.18, i64 %v.74
  store float %v.73, ptr %at.75, align 4
  br label %end.64
else.63:
  br label %end.64
end.64:
  br label %next.57
next.57:
  %v.76 = add i32 %group.59, 1
  store i32 %v.76, ptr %group.55, align 8
  %v.77 = icmp ult i32 %v.76, 64
  br i1 %v.77, label %group.56, label %threads.58, !llvm.loop !0
threads.58:
  %step.78 = load i32, ptr %step.33, align 8
  %v.79 = icmp eq i32 2, 0
  %v.80 = icmp eq i32 2, -1
  %v.81 = or i1 %v.79, %v.80
  %v.82 = select i1 %v.81, i32 1, i32 2
  %v.83 = sdiv i32 %step.78, %v.82
  %v.84 = mul i32 %v.83, %v.82
  %v.85 = sub i32 %step.78, %v.84
  %v.86 = icmp ne i32 %v.85, 0
  %v.87 = xor i32 %v.85, %v.82
  %v.88 = icmp slt i32 %v.87, 0
  %v.89 = sub i32 %v.83, 1
  %v.90 = and i1 %v.86, %v.88
  %v.91 = select i1 %v.90, i32 %v.89, i32 %v.83
  %v.92 = sub i32 0, %step.78
  %v.93 = select i1 %v.80, i32 %v.92, i32 %v.91
  %v.94 = select i1 %v.79, i32 0, i32 %v.93
  store i32 %v.94, ptr %step.33, align 8
  br label %test.49
end.51:
  store i32 0, ptr %group.95, align 8
  br label %group.96
group.96:
  %group.99 = load i32, ptr %group.95, align 8
  %v.100 = mul i32 %group.99, 1
  %v.101 = icmp eq i32 %v.100, 0
  br i1 %v.101, label %then.102, label %else.103
then.102:
  %v.105 = load float, ptr %partial.18, align 4
  %v.106 = sext i32 %v.30 to i64
  %at.107 = getelementptr float, ptr %total.6, i64 %v.106
  store float %v.105, ptr %at.107, align 4
  br label %end.104
else.103:
  br label %end.104
end.104:
  br label %next.97
next.97:
  %v.108 = add i32 %group.99, 1
  store i32 %v.108, ptr %group.95, align 8
  %v.109 = icmp ult i32 %v.108, 64
  br i1 %v.109, label %group.96, label %threads.98, !llvm.loop !0
threads.98:
  %v.110 = add i64 %block.23, 1
  store i64 %v.110, ptr %block.19, align 8
  %v.111 = icmp slt i64 %v.110, %last
  br i1 %v.111, label %block.20, label %done.21, !llvm.loop !0
done.21:
  ret void
}


attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
