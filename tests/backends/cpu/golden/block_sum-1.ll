target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define void @kernel(ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last) #0 {
  %partial.5 = alloca [768 x i8], align 64
  %slot.1 = getelementptr i64, ptr %arguments, i64 0
  %total.2 = load ptr, ptr %slot.1, align 8
  %slot.3 = getelementptr i64, ptr %arguments, i64 4
  %x.4 = load ptr, ptr %slot.3, align 8
  %v.6 = getelementptr i8, ptr %partial.5, i64 256
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
  %step.31 = alloca i32, align 8
  %group.33 = alloca i32, align 8
  %group.61 = alloca i32, align 8
  %group.102 = alloca i32, align 8
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
  %v.30 = call ptr @llvm.launder.invariant.group.p0(ptr %partial.15)
  %v.32 = mul i32 %v.27, 64
  store i32 0, ptr %group.33, align 8
  br label %group.34
group.34:
  %group.37 = load i32, ptr %group.33, align 8
  %v.38 = mul i32 %group.37, 1
  %v.39 = add i32 %v.32, %v.38
  %v.40 = sext i32 %v.39 to i64
  %at.41 = getelementptr float, ptr %x.12, i64 %v.40
  %v.42 = load float, ptr %at.41, align 4
  %v.43 = sext i32 %v.38 to i64
  %at.44 = getelementptr float, ptr %v.30, i64 %v.43
  store float %v.42, ptr %at.44, align 4
  br label %next.35
next.35:
  %v.45 = add i32 %group.37, 1
  store i32 %v.45, ptr %group.33, align 8
  %v.46 = icmp ult i32 %v.45, 64
  br i1 %v.46, label %group.34, label %threads.36, !llvm.loop !0
threads.36:
  store i32 32, ptr %step.31, align 8
  br label %test.47
test.47:
  %step.50 = load i32, ptr %step.31, align 8
  %v.51 = icmp sgt i32 %step.50, 0
  br i1 %v.51, label %loop.48, label %end.49
loop.48:
  %step.52 = load i32, ptr %step.31, align 8
  %v.53 = call i32 @llvm.smin.i32(i32 %step.52, i32 64)
  %v.54 = call i32 @llvm.smax.i32(i32 %v.53, i32 -1)
  %v.55 = add i32 %v.54, 1
  %v.56 = call i32 @llvm.smax.i32(i32 %v.54, i32 0)
  %v.57 = call i32 @llvm.smin.i32(i32 %v.55, i32 64)
  %v.58 = call i32 @llvm.smax.i32(i32 0, i32 %v.56)
  %v.59 = add i32 %v.58, 0
  %v.60 = udiv i32 %v.59, 1
  store i32 0, ptr %group.61, align 8
  %v.65 = icmp ult i32 0, %v.60
  br i1 %v.65, label %group.62, label %threads.64
group.62:
  %group.66 = load i32, ptr %group.61, align 8
  %v.67 = mul i32 %group.66, 1
  %v.68 = icmp slt i32 %v.67, %step.52
  br i1 %v.68, label %then.69, label %else.70
then.69:
  %v.72 = sext i32 %v.67 to i64
  %at.73 = getelementptr float, ptr %v.30, i64 %v.72
  %v.74 = load float, ptr %at.73, align 4
  %step.75 = load i32, ptr %step.31, align 8
  %v.76 = add i32 %v.67, %step.75
  %v.77 = sext i32 %v.76 to i64
  %at.78 = getelementptr float, ptr %v.30, i64 %v.77
  %v.79 = load float, ptr %at.78, align 4
  %v.80 = fadd contract float %v.74, %v.79
  %v.81 = sext i32 %v.67 to i64
  %at.82 = getelementptr float, ptr %v.30, i64 %v.81
  store float %v.80, ptr %at.82, align 4
  br label %end.71
else.70:
  br label %end.71
end.71:
  br label %next.63
next.63:
  %v.83 = add i32 %group.66, 1
  store i32 %v.83, ptr %group.61, align 8
  %v.84 = icmp ult i32 %v.83, %v.60
  br i1 %v.84, label %group.62, label %threads.64, !llvm.loop !0
threads.64:
  %step.85 = load i32, ptr %step.31, align 8
  %v.86 = icmp eq i32 2, 0
  %v.87 = icmp eq i32 2, -1
  %v.88 = or i1 %v.86, %v.87
  %v.89 = select i1 %v.88, i32 1, i32 2
  %v.90 = sdiv i32 %step.85, %v.89
  %v.91 = mul i32 %v.90, %v.89
  %v.92 = sub i32 %step.85, %v.91
  %v.93 = icmp ne i32 %v.92, 0
  %v.94 = xor i32 %v.92, %v.89
  %v.95 = icmp slt i32 %v.94, 0
  %v.96 = sub i32 %v.90, 1
  %v.97 = and i1 %v.93, %v.95
  %v.98 = select i1 %v.97, i32 %v.96, i32 %v.90
  %v.99 = sub i32 0, %step.85
  %v.100 = select i1 %v.87, i32 %v.99, i32 %v.98
  %v.101 = select i1 %v.86, i32 0, i32 %v.100
  store i32 %v.101, ptr %step.31, align 8
  br label %test.47
end.49:
  store i32 0, ptr %group.102, align 8
  br label %group.103
group.103:
  %group.106 = load i32, ptr %group.102, align 8
  %v.107 = mul i32 %group.106, 1
  %v.108 = icmp eq i32 %v.107, 0
  br i1 %v.108, label %then.109, label %else.110
then.109:
  %v.112 = load float, ptr %v.30, align 4
  %v.113 = sext i32 %v.27 to i64
  %at.114 = getelementptr float, ptr %total.5, i64 %v.113
  store float %v.112, ptr %at.114, align 4
  br label %end.111
else.110:
  br label %end.111
end.111:
  br label %next.104
next.104:
  %v.115 = add i32 %group.106, 1
  store i32 %v.115, ptr %group.102, align 8
  %v.116 = icmp ult i32 %v.115, 1
  br i1 %v.116, label %group.103, label %threads.105, !llvm.loop !2
threads.105:
  %v.117 = add i64 %block.20, 1
  store i64 %v.117, ptr %block.16, align 8
  %v.118 = icmp slt i64 %v.117, %last
  br i1 %v.118, label %block.17, label %done.18, !llvm.loop !0
done.18:
  ret void
}

declare ptr @llvm.launder.invariant.group.p0(ptr)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
