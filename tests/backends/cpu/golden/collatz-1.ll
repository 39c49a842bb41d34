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
  %x.16 = alloca i32, align 8
  %y.17 = alloca i32, align 8
  %z.18 = alloca i32, align 8
  %length.36 = alloca i32, align 64
  %k.37 = alloca i32, align 64
  %group.38 = alloca i32, align 8
  br label %start
start:
  %v.22 = icmp slt i64 %first, %last
  br i1 %v.22, label %first.19, label %done.21
first.19:
  store i64 %first, ptr %block.15, align 8
  %v.23 = zext i32 %grid_x to i64
  %v.24 = zext i32 %grid_y to i64
  %v.25 = udiv i64 %first, %v.23
  %v.26 = urem i64 %first, %v.23
  %v.27 = urem i64 %v.25, %v.24
  %v.28 = udiv i64 %v.25, %v.24
  %v.29 = trunc i64 %v.26 to i32
  store i32 %v.29, ptr %x.16, align 8
  %v.30 = trunc i64 %v.27 to i32
  store i32 %v.30, ptr %y.17, align 8
  %v.31 = trunc i64 %v.28 to i32
  store i32 %v.31, ptr %z.18, align 8
  br label %block.20
block.20:
  %block.32 = load i64, ptr %block.15, align 8
  %x.33 = load i32, ptr %x.16, align 8
  %y.34 = load i32, ptr %y.17, align 8
  %z.35 = load i32, ptr %z.18, align 8
  store i32 0, ptr %group.38, align 8
  br label %group.39
group.39:
  %group.42 = load i32, ptr %group.38, align 8
  %v.43 = mul i32 %group.42, 1
  %v.44 = mul i32 %x.33, 64
  %v.45 = add i32 %v.44, %v.43
  store i32 0, ptr %length.36, align 8
  %v.46 = sext i32 %v.45 to i64
  %at.47 = getelementptr i32, ptr %n.12, i64 %v.46
  %v.48 = load i32, ptr %at.47, align 4
  store i32 %v.48, ptr %k.37, align 8
  br label %test.49
test.49:
  %k.52 = load i32, ptr %k.37, align 8
  %v.53 = icmp sgt i32 %k.52, 1
  br i1 %v.53, label %loop.50, label %end.51
loop.50:
  %k.54 = load i32, ptr %k.37, align 8
  %v.55 = icmp eq i32 2, 0
  %v.56 = icmp eq i32 2, -1
  %v.57 = or i1 %v.55, %v.56
  %v.58 = select i1 %v.57, i32 1, i32 2
  %v.59 = sdiv i32 %k.54, %v.58
  %v.60 = mul i32 %v.59, %v.58
  %v.61 = sub i32 %k.54, %v.60
  %v.62 = icmp ne i32 %v.61, 0
  %v.63 = xor i32 %v.61, %v.58
  %v.64 = icmp slt i32 %v.63, 0
  %v.65 = sub i32 %v.59, 1
  %v.66 = and i1 %v.62, %v.64
  %v.67 = select i1 %v.66, i32 %v.65, i32 %v.59
  %v.68 = sub i32 0, %k.54
  %v.69 = select i1 %v.56, i32 %v.68, i32 %v.67
  %v.70 = select i1 %v.55, i32 0, i32 %v.69
  %v.71 = mul i32 2, %v.70
  %v.72 = sub i32 %k.54, %v.71
  %v.73 = icmp eq i32 %v.72, 0
  br i1 %v.73, label %then.74, label %else.75
then.74:
  %k.77 = load i32, ptr %k.37, align 8
  %v.78 = icmp eq i32 2, 0
  %v.79 = icmp eq i32 2, -1
  %v.80 = or i1 %v.78, %v.79
  %v.81 = select i1 %v.80, i32 1, i32 2
  %v.82 = sdiv i32 %k.77, %v.81
  %v.83 = mul i32 %v.82, %v.81
  %v.84 = sub i32 %k.77, %v.83
  %v.85 = icmp ne i32 %v.84, 0
  %v.86 = xor i32 %v.84, %v.81
  %v.87 = icmp slt i32 %v.86, 0
  %v.88 = sub i32 %v.82, 1
  %v.89 = and i1 %v.85, %v.87
  %v.90 = select i1 %v.89, i32 %v.88, i32 %v.82
  %v.91 = sub i32 0, %k.77
  %v.92 = select i1 %v.79, i32 %v.91, i32 %v.90
  %v.93 = select i1 %v.78, i32 0, i32 %v.92
  store i32 %v.93, ptr %k.37, align 8
  br label %end.76
else.75:
  %k.94 = load i32, ptr %k.37, align 8
  %v.95 = mul i32 %k.94, 3
  %v.96 = add i32 %v.95, 1
  store i32 %v.96, ptr %k.37, align 8
  br label %end.76
end.76:
  %length.97 = load i32, ptr %length.36, align 8
  %v.98 = add i32 %length.97, 1
  store i32 %v.98, ptr %length.36, align 8
  %length.99 = load i32, ptr %length.36, align 8
  %v.100 = icmp eq i32 %length.99, 100
  br i1 %v.100, label %then.101, label %else.102
then.101:
  br label %end.51
else.102:
  br label %end.103
end.103:
  br label %test.49, !llvm.loop !0
end.51:
  %length.104 = load i32, ptr %length.36, align 8
  %v.105 = sext i32 %v.45 to i64
  %at.106 = getelementptr i32, ptr %lengths.5, i64 %v.105
  store i32 %length.104, ptr %at.106, align 4
  br label %next.40
next.40:
  %v.107 = add i32 %group.42, 1
  store i32 %v.107, ptr %group.38, align 8
  %v.108 = icmp ult i32 %v.107, 64
  br i1 %v.108, label %group.39, label %threads.41, !llvm.loop !0
threads.41:
  %v.109 = add i32 %x.33, 1
  %v.110 = icmp eq i32 %v.109, %grid_x
  %v.111 = select i1 %v.110, i32 0, i32 %v.109
  store i32 %v.111, ptr %x.16, align 8
  %v.112 = zext i1 %v.110 to i32
  %v.113 = add i32 %y.34, %v.112
  %v.114 = icmp eq i32 %v.113, %grid_y
  %v.115 = select i1 %v.114, i32 0, i32 %v.113
  store i32 %v.115, ptr %y.17, align 8
  %v.116 = zext i1 %v.114 to i32
  %v.117 = add i32 %z.35, %v.116
  %v.118 = icmp eq i32 %v.117, %grid_z
  %v.119 = select i1 %v.118, i32 0, i32 %v.117
  store i32 %v.119, ptr %z.18, align 8
  %v.120 = zext i1 %v.118 to i32
  %v.121 = add i64 %block.32, 1
  store i64 %v.121, ptr %block.15, align 8
  %v.122 = icmp slt i64 %v.121, %last
  br i1 %v.122, label %block.20, label %done.21, !llvm.loop !0
done.21:
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
