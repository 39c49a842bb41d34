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
  %length.36 = alloca <4 x i32>, align 64
  %k.37 = alloca <4 x i32>, align 64
  %group.38 = alloca i32, align 8
  %live.49 = alloca <4 x i1>, align 8
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
  %v.43 = mul i32 %group.42, 4
  store <4 x i32> zeroinitializer, ptr %length.36, align 8
  store <4 x i32> zeroinitializer, ptr %k.37, align 8
  %v.44 = mul i32 %x.33, 64
  %v.45 = add i32 %v.44, %v.43
  store <4 x i32> splat (i32 0), ptr %length.36, align 8
  %v.46 = sext i32 %v.45 to i64
  %at.47 = getelementptr i32, ptr %n.12, i64 %v.46
  %v.48 = load <4 x i32>, ptr %at.47, align 4
  store <4 x i32> %v.48, ptr %k.37, align 8
  store <4 x i1> splat (i1 true), ptr %live.49, align 8
  %v.53 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> splat (i1 true))
  br i1 %v.53, label %loop.50, label %end.52
loop.50:
  %mask.54 = load <4 x i1>, ptr %live.49, align 8
  %k.55 = load <4 x i32>, ptr %k.37, align 8
  %v.56 = icmp sgt <4 x i32> %k.55, splat (i32 1)
  %mask.57 = load <4 x i1>, ptr %live.49, align 8
  %v.58 = and <4 x i1> %mask.57, %v.56
  store <4 x i1> %v.58, ptr %live.49, align 8
  %v.60 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.58)
  br i1 %v.60, label %body.59, label %next.51
body.59:
  %k.61 = load <4 x i32>, ptr %k.37, align 8
  %v.62 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.63 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.64 = or <4 x i1> %v.62, %v.63
  %v.65 = select <4 x i1> %v.64, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.66 = sdiv <4 x i32> %k.61, %v.65
  %v.67 = mul <4 x i32> %v.66, %v.65
  %v.68 = sub <4 x i32> %k.61, %v.67
  %v.69 = icmp ne <4 x i32> %v.68, splat (i32 0)
  %v.70 = xor <4 x i32> %v.68, %v.65
  %v.71 = icmp slt <4 x i32> %v.70, splat (i32 0)
  %v.72 = sub <4 x i32> %v.66, splat (i32 1)
  %v.73 = and <4 x i1> %v.69, %v.71
  %v.74 = select <4 x i1> %v.73, <4 x i32> %v.72, <4 x i32> %v.66
  %v.75 = sub <4 x i32> splat (i32 0), %k.61
  %v.76 = select <4 x i1> %v.63, <4 x i32> %v.75, <4 x i32> %v.74
  %v.77 = select <4 x i1> %v.62, <4 x i32> splat (i32 0), <4 x i32> %v.76
  %v.78 = mul <4 x i32> splat (i32 2), %v.77
  %v.79 = sub <4 x i32> %k.61, %v.78
  %v.80 = icmp eq <4 x i32> %v.79, splat (i32 0)
  %v.81 = and <4 x i1> %v.58, %v.80
  %k.82 = load <4 x i32>, ptr %k.37, align 8
  %v.83 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.84 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.85 = or <4 x i1> %v.83, %v.84
  %v.86 = select <4 x i1> %v.85, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.87 = sdiv <4 x i32> %k.82, %v.86
  %v.88 = mul <4 x i32> %v.87, %v.86
  %v.89 = sub <4 x i32> %k.82, %v.88
  %v.90 = icmp ne <4 x i32> %v.89, splat (i32 0)
  %v.91 = xor <4 x i32> %v.89, %v.86
  %v.92 = icmp slt <4 x i32> %v.91, splat (i32 0)
  %v.93 = sub <4 x i32> %v.87, splat (i32 1)
  %v.94 = and <4 x i1> %v.90, %v.92
  %v.95 = select <4 x i1> %v.94, <4 x i32> %v.93, <4 x i32> %v.87
  %v.96 = sub <4 x i32> splat (i32 0), %k.82
  %v.97 = select <4 x i1> %v.84, <4 x i32> %v.96, <4 x i32> %v.95
  %v.98 = select <4 x i1> %v.83, <4 x i32> splat (i32 0), <4 x i32> %v.97
  %v.99 = load <4 x i32>, ptr %k.37, align 8
  %v.100 = select <4 x i1> %v.81, <4 x i32> %v.98, <4 x i32> %v.99
  store <4 x i32> %v.100, ptr %k.37, align 8
  %v.101 = xor <4 x i1> %v.80, splat (i1 true)
  %v.102 = and <4 x i1> %v.58, %v.101
  %k.103 = load <4 x i32>, ptr %k.37, align 8
  %v.104 = mul <4 x i32> splat (i32 3), %k.103
  %v.105 = add <4 x i32> %v.104, splat (i32 1)
  %v.106 = load <4 x i32>, ptr %k.37, align 8
  %v.107 = select <4 x i1> %v.102, <4 x i32> %v.105, <4 x i32> %v.106
  store <4 x i32> %v.107, ptr %k.37, align 8
  %length.108 = load <4 x i32>, ptr %length.36, align 8
  %v.109 = add <4 x i32> %length.108, splat (i32 1)
  %v.110 = load <4 x i32>, ptr %length.36, align 8
  %v.111 = select <4 x i1> %v.58, <4 x i32> %v.109, <4 x i32> %v.110
  store <4 x i32> %v.111, ptr %length.36, align 8
  %length.112 = load <4 x i32>, ptr %length.36, align 8
  %v.113 = icmp eq <4 x i32> %length.112, splat (i32 100)
  %v.114 = and <4 x i1> %v.58, %v.113
  %mask.115 = load <4 x i1>, ptr %live.49, align 8
  %v.116 = xor <4 x i1> %v.114, splat (i1 true)
  %v.117 = and <4 x i1> %mask.115, %v.116
  store <4 x i1> %v.117, ptr %live.49, align 8
  %v.118 = xor <4 x i1> %v.113, splat (i1 true)
  %v.119 = and <4 x i1> %v.58, %v.118
  %v.120 = or <4 x i1> zeroinitializer, %v.119
  br label %next.51
next.51:
  %mask.121 = load <4 x i1>, ptr %live.49, align 8
  store <4 x i1> %mask.121, ptr %live.49, align 8
  %v.122 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %mask.121)
  br i1 %v.122, label %loop.50, label %end.52, !llvm.loop !0
end.52:
  %length.123 = load <4 x i32>, ptr %length.36, align 8
  %v.124 = sext i32 %v.45 to i64
  %at.125 = getelementptr i32, ptr %lengths.5, i64 %v.124
  store <4 x i32> %length.123, ptr %at.125, align 4
  br label %next.40
next.40:
  %v.126 = add i32 %group.42, 1
  store i32 %v.126, ptr %group.38, align 8
  %v.127 = icmp ult i32 %v.126, 16
  br i1 %v.127, label %group.39, label %threads.41, !llvm.loop !0
threads.41:
  %v.128 = add i32 %x.33, 1
  %v.129 = icmp eq i32 %v.128, %grid_x
  %v.130 = select i1 %v.129, i32 0, i32 %v.128
  store i32 %v.130, ptr %x.16, align 8
  %v.131 = zext i1 %v.129 to i32
  %v.132 = add i32 %y.34, %v.131
  %v.133 = icmp eq i32 %v.132, %grid_y
  %v.134 = select i1 %v.133, i32 0, i32 %v.132
  store i32 %v.134, ptr %y.17, align 8
  %v.135 = zext i1 %v.133 to i32
  %v.136 = add i32 %z.35, %v.135
  %v.137 = icmp eq i32 %v.136, %grid_z
  %v.138 = select i1 %v.137, i32 0, i32 %v.136
  store i32 %v.138, ptr %z.18, align 8
  %v.139 = zext i1 %v.137 to i32
  %v.140 = add i64 %block.32, 1
  store i64 %v.140, ptr %block.15, align 8
  %v.141 = icmp slt i64 %v.140, %last
  br i1 %v.141, label %block.20, label %done.21, !llvm.loop !0
done.21:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
