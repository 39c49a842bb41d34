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
  %length.29 = alloca <4 x i32>, align 64
  %k.30 = alloca <4 x i32>, align 64
  %group.31 = alloca i32, align 8
  %live.42 = alloca <4 x i1>, align 8
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
  %v.36 = mul i32 %group.35, 4
  store <4 x i32> zeroinitializer, ptr %length.29, align 8
  store <4 x i32> zeroinitializer, ptr %k.30, align 8
  %v.37 = mul i32 %v.26, 64
  %v.38 = add i32 %v.37, %v.36
  store <4 x i32> splat (i32 0), ptr %length.29, align 8
  %v.39 = sext i32 %v.38 to i64
  %at.40 = getelementptr i32, ptr %n.12, i64 %v.39
  %v.41 = load <4 x i32>, ptr %at.40, align 4
  store <4 x i32> %v.41, ptr %k.30, align 8
  store <4 x i1> splat (i1 true), ptr %live.42, align 8
  %v.46 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> splat (i1 true))
  br i1 %v.46, label %loop.43, label %end.45
loop.43:
  %mask.47 = load <4 x i1>, ptr %live.42, align 8
  %k.48 = load <4 x i32>, ptr %k.30, align 8
  %v.49 = icmp sgt <4 x i32> %k.48, splat (i32 1)
  %mask.50 = load <4 x i1>, ptr %live.42, align 8
  %v.51 = and <4 x i1> %mask.50, %v.49
  store <4 x i1> %v.51, ptr %live.42, align 8
  %v.53 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.51)
  br i1 %v.53, label %body.52, label %next.44
body.52:
  %k.54 = load <4 x i32>, ptr %k.30, align 8
  %v.55 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.56 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.57 = or <4 x i1> %v.55, %v.56
  %v.58 = select <4 x i1> %v.57, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.59 = sdiv <4 x i32> %k.54, %v.58
  %v.60 = mul <4 x i32> %v.59, %v.58
  %v.61 = sub <4 x i32> %k.54, %v.60
  %v.62 = icmp ne <4 x i32> %v.61, splat (i32 0)
  %v.63 = xor <4 x i32> %v.61, %v.58
  %v.64 = icmp slt <4 x i32> %v.63, splat (i32 0)
  %v.65 = sub <4 x i32> %v.59, splat (i32 1)
  %v.66 = and <4 x i1> %v.62, %v.64
  %v.67 = select <4 x i1> %v.66, <4 x i32> %v.65, <4 x i32> %v.59
  %v.68 = sub <4 x i32> splat (i32 0), %k.54
  %v.69 = select <4 x i1> %v.56, <4 x i32> %v.68, <4 x i32> %v.67
  %v.70 = select <4 x i1> %v.55, <4 x i32> splat (i32 0), <4 x i32> %v.69
  %v.71 = mul <4 x i32> splat (i32 2), %v.70
  %v.72 = sub <4 x i32> %k.54, %v.71
  %v.73 = icmp eq <4 x i32> %v.72, splat (i32 0)
  %v.74 = and <4 x i1> %v.51, %v.73
  %k.75 = load <4 x i32>, ptr %k.30, align 8
  %v.76 = icmp eq <4 x i32> splat (i32 2), splat (i32 0)
  %v.77 = icmp eq <4 x i32> splat (i32 2), splat (i32 -1)
  %v.78 = or <4 x i1> %v.76, %v.77
  %v.79 = select <4 x i1> %v.78, <4 x i32> splat (i32 1), <4 x i32> splat (i32 2)
  %v.80 = sdiv <4 x i32> %k.75, %v.79
  %v.81 = mul <4 x i32> %v.80, %v.79
  %v.82 = sub <4 x i32> %k.75, %v.81
  %v.83 = icmp ne <4 x i32> %v.82, splat (i32 0)
  %v.84 = xor <4 x i32> %v.82, %v.79
  %v.85 = icmp slt <4 x i32> %v.84, splat (i32 0)
  %v.86 = sub <4 x i32> %v.80, splat (i32 1)
  %v.87 = and <4 x i1> %v.83, %v.85
  %v.88 = select <4 x i1> %v.87, <4 x i32> %v.86, <4 x i32> %v.80
  %v.89 = sub <4 x i32> splat (i32 0), %k.75
  %v.90 = select <4 x i1> %v.77, <4 x i32> %v.89, <4 x i32> %v.88
  %v.91 = select <4 x i1> %v.76, <4 x i32> splat (i32 0), <4 x i32> %v.90
  %v.92 = load <4 x i32>, ptr %k.30, align 8
  %v.93 = select <4 x i1> %v.74, <4 x i32> %v.91, <4 x i32> %v.92
  store <4 x i32> %v.93, ptr %k.30, align 8
  %v.94 = xor <4 x i1> %v.73, splat (i1 true)
  %v.95 = and <4 x i1> %v.51, %v.94
  %k.96 = load <4 x i32>, ptr %k.30, align 8
  %v.97 = mul <4 x i32> splat (i32 3), %k.96
  %v.98 = add <4 x i32> %v.97, splat (i32 1)
  %v.99 = load <4 x i32>, ptr %k.30, align 8
  %v.100 = select <4 x i1> %v.95, <4 x i32> %v.98, <4 x i32> %v.99
  store <4 x i32> %v.100, ptr %k.30, align 8
  %length.101 = load <4 x i32>, ptr %length.29, align 8
  %v.102 = add <4 x i32> %length.101, splat (i32 1)
  %v.103 = load <4 x i32>, ptr %length.29, align 8
  %v.104 = select <4 x i1> %v.51, <4 x i32> %v.102, <4 x i32> %v.103
  store <4 x i32> %v.104, ptr %length.29, align 8
  %length.105 = load <4 x i32>, ptr %length.29, align 8
  %v.106 = icmp eq <4 x i32> %length.105, splat (i32 100)
  %v.107 = and <4 x i1> %v.51, %v.106
  %mask.108 = load <4 x i1>, ptr %live.42, align 8
  %v.109 = xor <4 x i1> %v.107, splat (i1 true)
  %v.110 = and <4 x i1> %mask.108, %v.109
  store <4 x i1> %v.110, ptr %live.42, align 8
  %v.111 = xor <4 x i1> %v.106, splat (i1 true)
  %v.112 = and <4 x i1> %v.51, %v.111
  %v.113 = or <4 x i1> zeroinitializer, %v.112
  br label %next.44
next.44:
  %mask.114 = load <4 x i1>, ptr %live.42, align 8
  store <4 x i1> %mask.114, ptr %live.42, align 8
  %v.115 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %mask.114)
  br i1 %v.115, label %loop.43, label %end.45, !llvm.loop !0
end.45:
  %length.116 = load <4 x i32>, ptr %length.29, align 8
  %v.117 = sext i32 %v.38 to i64
  %at.118 = getelementptr i32, ptr %lengths.5, i64 %v.117
  store <4 x i32> %length.116, ptr %at.118, align 4
  br label %next.33
next.33:
  %v.119 = add i32 %group.35, 1
  store i32 %v.119, ptr %group.31, align 8
  %v.120 = icmp ult i32 %v.119, 16
  br i1 %v.120, label %group.32, label %threads.34, !llvm.loop !0
threads.34:
  %v.121 = add i64 %block.19, 1
  store i64 %v.121, ptr %block.15, align 8
  %v.122 = icmp slt i64 %v.121, %last
  br i1 %v.122, label %block.16, label %done.17, !llvm.loop !0
done.17:
  ret void
}

declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "prefer-vector-width"="128" "no-trapping-math"="true" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
