target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %partial.5 = alloca [512 x i8], align 64
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %total.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %x.4 = load ptr, ptr %slot.3, align 8
  %v.6 = getelementptr i8, ptr %partial.5, i64 128
  call void @blocks(ptr %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr %total.2, ptr %x.4, ptr %v.6)
  ret void
}

define internal void @blocks(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last, ptr noalias %total.5, ptr noalias %x.12, ptr noalias align 64 %partial.15) noinline #0 {
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
  %block.16 = alloca i64, align 8
  %step.30 = alloca i32, align 8
  %group.32 = alloca i32, align 8
  %group.59 = alloca i32, align 8
  %group.100 = alloca i32, align 8
  br label %start
start:
  store i64 %first, ptr %block.16, align 8
  %v.19 = icmp slt i64 %first, %last
  br i1 %v.19, label %block.17, label %done.18
block.17:
  %block.20 = load i64, ptr %block.16, align 8
  %v.21 = zext i32 %grid_x to i64
  %v.22 = zext i32 %grid_y to i64
  %v.23 = udiv i64 %block.20, %v.21
  %v.24 = urem i64 %block.20, %v.21
  %v.25 = urem i64 %v.23, %v.22
  %v.26 = udiv i64 %v.23, %v.22
  %v.27 = trunc i64 %v.24 to i32
  %v.28 = trunc i64 %v.25 to i32
  %v.29 = trunc i64 %v.26 to i32
  %v.31 = mul i32 %v.27, 64
  store i32 0, ptr %group.32, align 8
  br label %group.33
group.33:
  %group.36 = load i32, ptr %group.32, align 8
  %v.37 = mul i32 %group.36, 1
  %v.38 = add i32 %v.31, %v.37
  %v.39 = sext i32 %v.38 to i64
  %at.40 = getelementptr float, ptr %x.12, i64 %v.39
  %v.41 = load float, ptr %at.40, align 4
  %v.42 = sext i32 %v.37 to i64
  %at.43 = getelementptr float, ptr %partial.15, i64 %v.42
  store float %v.41, ptr %at.43, align 4
  br label %next.34
next.34:
  %v.44 = add i32 %group.36, 1
  store i32 %v.44, ptr %group.32, align 8
  %v.45 = icmp ult i32 %v.44, 64
  br i1 %v.45, label %group.33, label %threads.35, !llvm.loop !0
threads.35:
  store i32 32, ptr %step.30, align 8
  br label %test.46
test.46:
  %step.49 = load i32, ptr %step.30, align 8
  %v.50 = icmp sgt i32 %step.49, 0
  br i1 %v.50, label %loop.47, label %end.48
loop.47:
  %step.51 = load i32, ptr %step.30, align 8
  %v.52 = call i32 @llvm.smin.i32(i32 %step.51, i32 64)
  %v.53 = call i32 @llvm.smax.i32(i32 %v.52, i32 -1)
  %v.54 = add i32 %v.53, 1
  %v.55 = call i32 @llvm.smax.i32(i32 %v.53, i32 0)
  %v.56 = call i32 @llvm.smin.i32(i32 %v.54, i32 64)
  %v.57 = add i32 %v.55, 0
  %v.58 = udiv i32 %v.57, 1
  store i32 0, ptr %group.59, align 8
  %v.63 = icmp ult i32 0, %v.58
  br i1 %v.63, label %group.60, label %threads.62
group.60:
  %group.64 = load i32, ptr %group.59, align 8
  %v.65 = mul i32 %group.64, 1
  %v.66 = icmp slt i32 %v.65, %step.51
  br i1 %v.66, label %then.67, label %else.68
then.67:
  %v.70 = sext i32 %v.65 to i64
  %at.71 = getelementptr float, ptr %partial.15, i64 %v.70
  %v.72 = load float, ptr %at.71, align 4
  %step.73 = load i32, ptr %step.30, align 8
  %v.74 = add i32 %v.65, %step.73
  %v.75 = sext i32 %v.74 to i64
  %at.76 = getelementptr float, ptr %partial.15, i64 %v.75
  %v.77 = load float, ptr %at.76, align 4
  %v.78 = fadd contract float %v.72, %v.77
  %v.79 = sext i32 %v.65 to i64
  %at.80 = getelementptr float, ptr %partial.15, i64 %v.79
  store float %v.78, ptr %at.80, align 4
  br label %end.69
else.68:
  br label %end.69
end.69:
  br label %next.61
next.61:
  %v.81 = add i32 %group.64, 1
  store i32 %v.81, ptr %group.59, align 8
  %v.82 = icmp ult i32 %v.81, %v.58
  br i1 %v.82, label %group.60, label %threads.62, !llvm.loop !0
threads.62:
  %step.83 = load i32, ptr %step.30, align 8
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
  store i32 %v.99, ptr %step.30, align 8
  br label %test.46
end.48:
  store i32 0, ptr %group.100, align 8
  br label %group.101
group.101:
  %group.104 = load i32, ptr %group.100, align 8
  %v.105 = mul i32 %group.104, 1
  %v.106 = icmp eq i32 %v.105, 0
  br i1 %v.106, label %then.107, label %else.108
then.107:
  %v.110 = load float, ptr %partial.15, align 4
  %v.111 = sext i32 %v.27 to i64
  %at.112 = getelementptr float, ptr %total.5, i64 %v.111
  store float %v.110, ptr %at.112, align 4
  br label %end.109
else.108:
  br label %end.109
end.109:
  br label %next.102
next.102:
  %v.113 = add i32 %group.104, 1
  store i32 %v.113, ptr %group.100, align 8
  %v.114 = icmp ult i32 %v.113, 1
  br i1 %v.114, label %group.101, label %threads.103, !llvm.loop !2
threads.103:
  %v.115 = add i64 %block.20, 1
  store i64 %v.115, ptr %block.16, align 8
  %v.116 = icmp slt i64 %v.115, %last
  br i1 %v.116, label %block.17, label %done.18, !llvm.loop !0
done.18:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
