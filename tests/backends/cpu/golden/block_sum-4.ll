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
  %group.133 = alloca i32, align 8
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
  %v.40 = add i32 %v.39, 0
  %v.41 = sext i32 %v.40 to i64
  %at.42 = getelementptr float, ptr %x.12, i64 %v.41
  %v.43 = load <4 x float>, ptr %at.42, align 4
  store <4 x float> %v.43, ptr %partial.16, align 4
  %v.44 = add i32 %v.39, 4
  %v.45 = sext i32 %v.44 to i64
  %at.46 = getelementptr float, ptr %x.12, i64 %v.45
  %v.47 = load <4 x float>, ptr %at.46, align 4
  %at.48 = getelementptr float, ptr %partial.16, i64 4
  store <4 x float> %v.47, ptr %at.48, align 4
  %v.49 = add i32 %v.39, 8
  %v.50 = sext i32 %v.49 to i64
  %at.51 = getelementptr float, ptr %x.12, i64 %v.50
  %v.52 = load <4 x float>, ptr %at.51, align 4
  %at.53 = getelementptr float, ptr %partial.16, i64 8
  store <4 x float> %v.52, ptr %at.53, align 4
  %v.54 = add i32 %v.39, 12
  %v.55 = sext i32 %v.54 to i64
  %at.56 = getelementptr float, ptr %x.12, i64 %v.55
  %v.57 = load <4 x float>, ptr %at.56, align 4
  %at.58 = getelementptr float, ptr %partial.16, i64 12
  store <4 x float> %v.57, ptr %at.58, align 4
  %v.59 = add i32 %v.39, 16
  %v.60 = sext i32 %v.59 to i64
  %at.61 = getelementptr float, ptr %x.12, i64 %v.60
  %v.62 = load <4 x float>, ptr %at.61, align 4
  %at.63 = getelementptr float, ptr %partial.16, i64 16
  store <4 x float> %v.62, ptr %at.63, align 4
  %v.64 = add i32 %v.39, 20
  %v.65 = sext i32 %v.64 to i64
  %at.66 = getelementptr float, ptr %x.12, i64 %v.65
  %v.67 = load <4 x float>, ptr %at.66, align 4
  %at.68 = getelementptr float, ptr %partial.16, i64 20
  store <4 x float> %v.67, ptr %at.68, align 4
  %v.69 = add i32 %v.39, 24
  %v.70 = sext i32 %v.69 to i64
  %at.71 = getelementptr float, ptr %x.12, i64 %v.70
  %v.72 = load <4 x float>, ptr %at.71, align 4
  %at.73 = getelementptr float, ptr %partial.16, i64 24
  store <4 x float> %v.72, ptr %at.73, align 4
  %v.74 = add i32 %v.39, 28
  %v.75 = sext i32 %v.74 to i64
  %at.76 = getelementptr float, ptr %x.12, i64 %v.75
  %v.77 = load <4 x float>, ptr %at.76, align 4
  %at.78 = getelementptr float, ptr %partial.16, i64 28
  store <4 x float> %v.77, ptr %at.78, align 4
  %v.79 = add i32 %v.39, 32
  %v.80 = sext i32 %v.79 to i64
  %at.81 = getelementptr float, ptr %x.12, i64 %v.80
  %v.82 = load <4 x float>, ptr %at.81, align 4
  %at.83 = getelementptr float, ptr %partial.16, i64 32
  store <4 x float> %v.82, ptr %at.83, align 4
  %v.84 = add i32 %v.39, 36
  %v.85 = sext i32 %v.84 to i64
  %at.86 = getelementptr float, ptr %x.12, i64 %v.85
  %v.87 = load <4 x float>, ptr %at.86, align 4
  %at.88 = getelementptr float, ptr %partial.16, i64 36
  store <4 x float> %v.87, ptr %at.88, align 4
  %v.89 = add i32 %v.39, 40
  %v.90 = sext i32 %v.89 to i64
  %at.91 = getelementptr float, ptr %x.12, i64 %v.90
  %v.92 = load <4 x float>, ptr %at.91, align 4
  %at.93 = getelementptr float, ptr %partial.16, i64 40
  store <4 x float> %v.92, ptr %at.93, align 4
  %v.94 = add i32 %v.39, 44
  %v.95 = sext i32 %v.94 to i64
  %at.96 = getelementptr float, ptr %x.12, i64 %v.95
  %v.97 = load <4 x float>, ptr %at.96, align 4
  %at.98 = getelementptr float, ptr %partial.16, i64 44
  store <4 x float> %v.97, ptr %at.98, align 4
  %v.99 = add i32 %v.39, 48
  %v.100 = sext i32 %v.99 to i64
  %at.101 = getelementptr float, ptr %x.12, i64 %v.100
  %v.102 = load <4 x float>, ptr %at.101, align 4
  %at.103 = getelementptr float, ptr %partial.16, i64 48
  store <4 x float> %v.102, ptr %at.103, align 4
  %v.104 = add i32 %v.39, 52
  %v.105 = sext i32 %v.104 to i64
  %at.106 = getelementptr float, ptr %x.12, i64 %v.105
  %v.107 = load <4 x float>, ptr %at.106, align 4
  %at.108 = getelementptr float, ptr %partial.16, i64 52
  store <4 x float> %v.107, ptr %at.108, align 4
  %v.109 = add i32 %v.39, 56
  %v.110 = sext i32 %v.109 to i64
  %at.111 = getelementptr float, ptr %x.12, i64 %v.110
  %v.112 = load <4 x float>, ptr %at.111, align 4
  %at.113 = getelementptr float, ptr %partial.16, i64 56
  store <4 x float> %v.112, ptr %at.113, align 4
  %v.114 = add i32 %v.39, 60
  %v.115 = sext i32 %v.114 to i64
  %at.116 = getelementptr float, ptr %x.12, i64 %v.115
  %v.117 = load <4 x float>, ptr %at.116, align 4
  %at.118 = getelementptr float, ptr %partial.16, i64 60
  store <4 x float> %v.117, ptr %at.118, align 4
  store i32 32, ptr %step.38, align 8
  br label %test.119
test.119:
  %step.122 = load i32, ptr %step.38, align 8
  %v.123 = icmp sgt i32 %step.122, 0
  br i1 %v.123, label %loop.120, label %end.121
loop.120:
  %step.124 = load i32, ptr %step.38, align 8
  %v.125 = call i32 @llvm.smin.i32(i32 %step.124, i32 64)
  %v.126 = call i32 @llvm.smax.i32(i32 %v.125, i32 -1)
  %v.127 = add i32 %v.126, 1
  %v.128 = call i32 @llvm.smax.i32(i32 %v.126, i32 0)
  %v.129 = call i32 @llvm.smin.i32(i32 %v.127, i32 64)
  %v.130 = call i32 @llvm.smax.i32(i32 0, i32 %v.128)
  %v.131 = add i32 %v.130, 3
  %v.132 = udiv i32 %v.131, 4
  store i32 0, ptr %group.133, align 8
  %v.137 = icmp ult i32 0, %v.132
  br i1 %v.137, label %group.134, label %threads.136
group.134:
  %group.138 = load i32, ptr %group.133, align 8
  %v.139 = mul i32 %group.138, 4
  %v.140 = insertelement <4 x i32> poison, i32 %v.139, i64 0
  %v.141 = shufflevector <4 x i32> %v.140, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.142 = add <4 x i32> %v.141, <i32 0, i32 1, i32 2, i32 3>
  %v.143 = insertelement <4 x i32> poison, i32 %step.124, i64 0
  %v.144 = shufflevector <4 x i32> %v.143, <4 x i32> poison, <4 x i32> zeroinitializer
  %v.145 = icmp slt <4 x i32> %v.142, %v.144
  %v.148 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v.145)
  br i1 %v.148, label %arm.146, label %end.147
arm.146:
  %v.149 = sext i32 %v.139 to i64
  %at.150 = getelementptr float, ptr %partial.16, i64 %v.149
  %v.151 = load <4 x float>, ptr %at.150, align 4
  %v.152 = freeze <4 x float> %v.151
  %v.153 = select <4 x i1> %v.145, <4 x float> %v.152, <4 x float> zeroinitializer
  %step.154 = load i32, ptr %step.38, align 8
  %v.155 = add i32 %v.139, %step.154
  %v.156 = sext i32 %v.155 to i64
  %at.157 = getelementptr float, ptr %partial.16, i64 %v.156
  %v.158 = load <4 x float>, ptr %at.157, align 4
  %v.159 = freeze <4 x float> %v.158
  %v.160 = select <4 x i1> %v.145, <4 x float> %v.159, <4 x float> zeroinitializer
  %v.161 = fadd contract <4 x float> %v.153, %v.160
  %v.162 = sext i32 %v.139 to i64
  %at.163 = getelementptr float, ptr %partial.16, i64 %v.162
  %v.164 = load <4 x float>, ptr %at.163, align 4
  %v.165 = select <4 x i1> %v.145, <4 x float> %v.161, <4 x float> %v.164
  store <4 x float> %v.165, ptr %at.163, align 4
  br label %end.147
end.147:
  %v.166 = xor <4 x i1> %v.145, splat (i1 true)
  br label %next.135
next.135:
  %v.167 = add i32 %group.138, 1
  store i32 %v.167, ptr %group.133, align 8
  %v.168 = icmp ult i32 %v.167, %v.132
  br i1 %v.168, label %group.134, label %threads.136, !llvm.loop !0
threads.136:
  %step.169 = load i32, ptr %step.38, align 8
  %v.170 = icmp eq i32 2, 0
  %v.171 = icmp eq i32 2, -1
  %v.172 = or i1 %v.170, %v.171
  %v.173 = select i1 %v.172, i32 1, i32 2
  %v.174 = sdiv i32 %step.169, %v.173
  %v.175 = mul i32 %v.174, %v.173
  %v.176 = sub i32 %step.169, %v.175
  %v.177 = icmp ne i32 %v.176, 0
  %v.178 = xor i32 %v.176, %v.173
  %v.179 = icmp slt i32 %v.178, 0
  %v.180 = sub i32 %v.174, 1
  %v.181 = and i1 %v.177, %v.179
  %v.182 = select i1 %v.181, i32 %v.180, i32 %v.174
  %v.183 = sub i32 0, %step.169
  %v.184 = select i1 %v.171, i32 %v.183, i32 %v.182
  %v.185 = select i1 %v.170, i32 0, i32 %v.184
  store i32 %v.185, ptr %step.38, align 8
  br label %test.119
end.121:
  %v.186 = load float, ptr %partial.16, align 4
  %v.187 = sext i32 %x.35 to i64
  %at.188 = getelementptr float, ptr %total.5, i64 %v.187
  store float %v.186, ptr %at.188, align 4
  %v.189 = add i32 %x.35, 1
  %v.190 = icmp eq i32 %v.189, %grid_x
  %v.191 = select i1 %v.190, i32 0, i32 %v.189
  store i32 %v.191, ptr %x.18, align 8
  %v.192 = zext i1 %v.190 to i32
  %v.193 = add i32 %y.36, %v.192
  %v.194 = icmp eq i32 %v.193, %grid_y
  %v.195 = select i1 %v.194, i32 0, i32 %v.193
  store i32 %v.195, ptr %y.19, align 8
  %v.196 = zext i1 %v.194 to i32
  %v.197 = add i32 %z.37, %v.196
  %v.198 = icmp eq i32 %v.197, %grid_z
  %v.199 = select i1 %v.198, i32 0, i32 %v.197
  store i32 %v.199, ptr %z.20, align 8
  %v.200 = zext i1 %v.198 to i32
  %v.201 = add i64 %block.34, 1
  store i64 %v.201, ptr %block.17, align 8
  %v.202 = icmp slt i64 %v.201, %last
  br i1 %v.202, label %block.22, label %done.23, !llvm.loop !0
done.23:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "no-trapping-math"="true" }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
