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
  %group.94 = alloca i32, align 8
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
  %v.39 = mul i32 %group.38, 1
  %v.40 = add i32 %v.33, %v.39
  %v.41 = sext i32 %v.40 to i64
  %at.42 = getelementptr float, ptr %x.14, i64 %v.41
  %v.43 = load float, ptr %at.42, align 4
  %v.44 = sext i32 %v.39 to i64
  %at.45 = getelementptr float, ptr %partial.17, i64 %v.44
  store float %v.43, ptr %at.45, align 4
  br label %next.36
next.36:
  %v.46 = add i32 %group.38, 1
  store i32 %v.46, ptr %group.34, align 8
  %v.47 = icmp ult i32 %v.46, 64
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
  %v.59 = mul i32 %group.58, 1
  %v.60 = icmp slt i32 %v.59, %step.53
  br i1 %v.60, label %then.61, label %else.62
then.61:
  %v.64 = sext i32 %v.59 to i64
  %at.65 = getelementptr float, ptr %partial.17, i64 %v.64
  %v.66 = load float, ptr %at.65, align 4
  %step.67 = load i32, ptr %step.32, align 8
  %v.68 = add i32 %v.59, %step.67
  %v.69 = sext i32 %v.68 to i64
  %at.70 = getelementptr float, ptr %partial.17, i64 %v.69
  %v.71 = load float, ptr %at.70, align 4
  %v.72 = fadd contract float %v.66, %v.71
  %v.73 = sext i32 %v.59 to i64
  %at.74 = getelementptr float, ptr %partial.17, i64 %v.73
  store float %v.72, ptr %at.74, align 4
  br label %end.63
else.62:
  br label %end.63
end.63:
  br label %next.56
next.56:
  %v.75 = add i32 %group.58, 1
  store i32 %v.75, ptr %group.54, align 8
  %v.76 = icmp ult i32 %v.75, 64
  br i1 %v.76, label %group.55, label %threads.57, !llvm.loop !0
threads.57:
  %step.77 = load i32, ptr %step.32, align 8
  %v.78 = icmp eq i32 2, 0
  %v.79 = icmp eq i32 2, -1
  %v.80 = or i1 %v.78, %v.79
  %v.81 = select i1 %v.80, i32 1, i32 2
  %v.82 = sdiv i32 %step.77, %v.81
  %v.83 = mul i32 %v.82, %v.81
  %v.84 = sub i32 %step.77, %v.83
  %v.85 = icmp ne i32 %v.84, 0
  %v.86 = xor i32 %v.84, %v.81
  %v.87 = icmp slt i32 %v.86, 0
  %v.88 = sub i32 %v.82, 1
  %v.89 = and i1 %v.85, %v.87
  %v.90 = select i1 %v.89, i32 %v.88, i32 %v.82
  %v.91 = sub i32 0, %step.77
  %v.92 = select i1 %v.79, i32 %v.91, i32 %v.90
  %v.93 = select i1 %v.78, i32 0, i32 %v.92
  store i32 %v.93, ptr %step.32, align 8
  br label %test.48
end.50:
  store i32 0, ptr %group.94, align 8
  br label %group.95
group.95:
  %group.98 = load i32, ptr %group.94, align 8
  %v.99 = mul i32 %group.98, 1
  %v.100 = icmp eq i32 %v.99, 0
  br i1 %v.100, label %then.101, label %else.102
then.101:
  %at.104 = getelementptr float, ptr %partial.17, i64 0
  %v.105 = load float, ptr %at.104, align 4
  %v.106 = sext i32 %v.29 to i64
  %at.107 = getelementptr float, ptr %total.6, i64 %v.106
  store float %v.105, ptr %at.107, align 4
  br label %end.103
else.102:
  br label %end.103
end.103:
  br label %next.96
next.96:
  %v.108 = add i32 %group.98, 1
  store i32 %v.108, ptr %group.94, align 8
  %v.109 = icmp ult i32 %v.108, 64
  br i1 %v.109, label %group.95, label %threads.97, !llvm.loop !0
threads.97:
  %v.110 = add i64 %block.22, 1
  store i64 %v.110, ptr %block.18, align 8
  %v.111 = icmp slt i64 %v.110, %last
  br i1 %v.111, label %block.19, label %done.20, !llvm.loop !0
done.20:
  ret void
}


attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
