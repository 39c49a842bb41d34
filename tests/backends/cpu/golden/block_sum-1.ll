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
  %partial.16 = call noalias align 64 ptr asm sideeffect "", "=r,0"(ptr %partial.15) #1
  %block.17 = alloca i64, align 8
  %x.18 = alloca i32, align 8
  %y.19 = alloca i32, align 8
  %z.20 = alloca i32, align 8
  %step.38 = alloca i32, align 8
  %group.40 = alloca i32, align 8
  %group.68 = alloca i32, align 8
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
  %v.39 = mul i32 %x.35, 64
  store i32 0, ptr %group.40, align 8
  br label %group.41
group.41:
  %group.44 = load i32, ptr %group.40, align 8
  %v.45 = mul i32 %group.44, 1
  %v.46 = add i32 %v.39, %v.45
  %v.47 = sext i32 %v.46 to i64
  %at.48 = getelementptr float, ptr %x.12, i64 %v.47
  %v.49 = load float, ptr %at.48, align 4
  %v.50 = sext i32 %v.45 to i64
  %at.51 = getelementptr float, ptr %partial.16, i64 %v.50
  store float %v.49, ptr %at.51, align 4
  br label %next.42
next.42:
  %v.52 = add i32 %group.44, 1
  store i32 %v.52, ptr %group.40, align 8
  %v.53 = icmp ult i32 %v.52, 64
  br i1 %v.53, label %group.41, label %threads.43, !llvm.loop !0
threads.43:
  store i32 32, ptr %step.38, align 8
  br label %test.54
test.54:
  %step.57 = load i32, ptr %step.38, align 8
  %v.58 = icmp sgt i32 %step.57, 0
  br i1 %v.58, label %loop.55, label %end.56
loop.55:
  %step.59 = load i32, ptr %step.38, align 8
  %v.60 = call i32 @llvm.smin.i32(i32 %step.59, i32 64)
  %v.61 = call i32 @llvm.smax.i32(i32 %v.60, i32 -1)
  %v.62 = add i32 %v.61, 1
  %v.63 = call i32 @llvm.smax.i32(i32 %v.61, i32 0)
  %v.64 = call i32 @llvm.smin.i32(i32 %v.62, i32 64)
  %v.65 = call i32 @llvm.smax.i32(i32 0, i32 %v.63)
  %v.66 = add i32 %v.65, 0
  %v.67 = udiv i32 %v.66, 1
  store i32 0, ptr %group.68, align 8
  %v.72 = icmp ult i32 0, %v.67
  br i1 %v.72, label %group.69, label %threads.71
group.69:
  %group.73 = load i32, ptr %group.68, align 8
  %v.74 = mul i32 %group.73, 1
  %v.75 = icmp slt i32 %v.74, %step.59
  br i1 %v.75, label %then.76, label %else.77
then.76:
  %v.79 = sext i32 %v.74 to i64
  %at.80 = getelementptr float, ptr %partial.16, i64 %v.79
  %v.81 = load float, ptr %at.80, align 4
  %step.82 = load i32, ptr %step.38, align 8
  %v.83 = add i32 %v.74, %step.82
  %v.84 = sext i32 %v.83 to i64
  %at.85 = getelementptr float, ptr %partial.16, i64 %v.84
  %v.86 = load float, ptr %at.85, align 4
  %v.87 = fadd contract float %v.81, %v.86
  %v.88 = sext i32 %v.74 to i64
  %at.89 = getelementptr float, ptr %partial.16, i64 %v.88
  store float %v.87, ptr %at.89, align 4
  br label %end.78
else.77:
  br label %end.78
end.78:
  br label %next.70
next.70:
  %v.90 = add i32 %group.73, 1
  store i32 %v.90, ptr %group.68, align 8
  %v.91 = icmp ult i32 %v.90, %v.67
  br i1 %v.91, label %group.69, label %threads.71, !llvm.loop !0
threads.71:
  %step.92 = load i32, ptr %step.38, align 8
  %v.93 = icmp eq i32 2, 0
  %v.94 = icmp eq i32 2, -1
  %v.95 = or i1 %v.93, %v.94
  %v.96 = select i1 %v.95, i32 1, i32 2
  %v.97 = sdiv i32 %step.92, %v.96
  %v.98 = mul i32 %v.97, %v.96
  %v.99 = sub i32 %step.92, %v.98
  %v.100 = icmp ne i32 %v.99, 0
  %v.101 = xor i32 %v.99, %v.96
  %v.102 = icmp slt i32 %v.101, 0
  %v.103 = sub i32 %v.97, 1
  %v.104 = and i1 %v.100, %v.102
  %v.105 = select i1 %v.104, i32 %v.103, i32 %v.97
  %v.106 = sub i32 0, %step.92
  %v.107 = select i1 %v.94, i32 %v.106, i32 %v.105
  %v.108 = select i1 %v.93, i32 0, i32 %v.107
  store i32 %v.108, ptr %step.38, align 8
  br label %test.54
end.56:
  %v.109 = load float, ptr %partial.16, align 4
  %v.110 = sext i32 %x.35 to i64
  %at.111 = getelementptr float, ptr %total.5, i64 %v.110
  store float %v.109, ptr %at.111, align 4
  %v.112 = add i32 %x.35, 1
  %v.113 = icmp eq i32 %v.112, %grid_x
  %v.114 = select i1 %v.113, i32 0, i32 %v.112
  store i32 %v.114, ptr %x.18, align 8
  %v.115 = zext i1 %v.113 to i32
  %v.116 = add i32 %y.36, %v.115
  %v.117 = icmp eq i32 %v.116, %grid_y
  %v.118 = select i1 %v.117, i32 0, i32 %v.116
  store i32 %v.118, ptr %y.19, align 8
  %v.119 = zext i1 %v.117 to i32
  %v.120 = add i32 %z.37, %v.119
  %v.121 = icmp eq i32 %v.120, %grid_z
  %v.122 = select i1 %v.121, i32 0, i32 %v.120
  store i32 %v.122, ptr %z.20, align 8
  %v.123 = zext i1 %v.121 to i32
  %v.124 = add i64 %block.34, 1
  store i64 %v.124, ptr %block.17, align 8
  %v.125 = icmp slt i64 %v.124, %last
  br i1 %v.125, label %block.22, label %done.23, !llvm.loop !0
done.23:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
