/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.holdfast.lock.interceptor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Reads the code of an instance method and tells which methods it calls on {@code this},
 * or refers to with {@code this::method}. A call of {@code self.method()}, where
 * {@code self} is an injected proxy of the same class, looks almost the same, so it has
 * to follow what is on the operand stack. Of that it knows, slot by slot, only whether it
 * is {@code this}.
 */
abstract class CallsOnThis extends MethodVisitor {

	private static final Set<Integer> METHODS = Set.of(Opcodes.H_INVOKEVIRTUAL, Opcodes.H_INVOKESPECIAL,
			Opcodes.H_INVOKEINTERFACE);

	/** How many slots an instruction takes, times ten, plus how many it leaves. */
	private static final int[] EFFECTS = new int[256];

	static {
		effect(1, Opcodes.ACONST_NULL, Opcodes.DCONST_1);
		effect(2, Opcodes.LCONST_0, Opcodes.LCONST_1);
		effect(2, Opcodes.DCONST_0, Opcodes.DCONST_1);
		effect(21, Opcodes.IALOAD, Opcodes.SALOAD);
		effect(22, Opcodes.LALOAD, Opcodes.LALOAD);
		effect(22, Opcodes.DALOAD, Opcodes.DALOAD);
		effect(30, Opcodes.IASTORE, Opcodes.SASTORE);
		effect(40, Opcodes.LASTORE, Opcodes.LASTORE);
		effect(40, Opcodes.DASTORE, Opcodes.DASTORE);
		effect(10, Opcodes.POP, Opcodes.POP);
		effect(20, Opcodes.POP2, Opcodes.POP2);
		// Those of int, long, float and double follow each other.
		for (int opcode = Opcodes.IADD; opcode <= Opcodes.DREM; opcode++) {
			effect((opcode % 2 == 0) ? 21 : 42, opcode, opcode);
		}
		for (int opcode = Opcodes.INEG; opcode <= Opcodes.DNEG; opcode++) {
			effect((opcode % 2 == 0) ? 11 : 22, opcode, opcode);
		}
		for (int opcode = Opcodes.ISHL; opcode <= Opcodes.LUSHR; opcode++) {
			effect((opcode % 2 == 0) ? 21 : 32, opcode, opcode);
		}
		for (int opcode = Opcodes.IAND; opcode <= Opcodes.LXOR; opcode++) {
			effect((opcode % 2 == 0) ? 21 : 42, opcode, opcode);
		}
		int[] conversions = { 12, 11, 12, 21, 21, 22, 11, 12, 12, 21, 22, 21, 11, 11, 11 };
		System.arraycopy(conversions, 0, EFFECTS, Opcodes.I2L, conversions.length);
		effect(41, Opcodes.LCMP, Opcodes.DCMPG);
		effect(21, Opcodes.FCMPL, Opcodes.FCMPG);
		effect(11, Opcodes.ARRAYLENGTH, Opcodes.ARRAYLENGTH);
		effect(10, Opcodes.MONITORENTER, Opcodes.MONITOREXIT);
		effect(10, Opcodes.IFEQ, Opcodes.IFLE);
		effect(20, Opcodes.IF_ICMPEQ, Opcodes.IF_ACMPNE);
		effect(10, Opcodes.IFNULL, Opcodes.IFNONNULL);
		effect(1, Opcodes.BIPUSH, Opcodes.SIPUSH);
		effect(11, Opcodes.NEWARRAY, Opcodes.NEWARRAY);
		effect(1, Opcodes.NEW, Opcodes.NEW);
		effect(11, Opcodes.ANEWARRAY, Opcodes.ANEWARRAY);
		effect(11, Opcodes.INSTANCEOF, Opcodes.INSTANCEOF);
		effect(1, Opcodes.ILOAD, Opcodes.ALOAD);
		effect(2, Opcodes.LLOAD, Opcodes.LLOAD);
		effect(2, Opcodes.DLOAD, Opcodes.DLOAD);
		effect(10, Opcodes.ISTORE, Opcodes.ASTORE);
		effect(20, Opcodes.LSTORE, Opcodes.LSTORE);
		effect(20, Opcodes.DSTORE, Opcodes.DSTORE);
	}

	/** What is on the stack where code is jumped to. */
	private final Map<Label, List<Boolean>> targets = new HashMap<>();

	/** Whether it is {@code this}, for each slot. */
	private List<Boolean> stack = new ArrayList<>();

	private boolean reachable = true;

	CallsOnThis() {
		super(SpringAsmInfo.ASM_VERSION);
	}

	private static void effect(int takesAndLeaves, int firstOpcode, int lastOpcode) {
		for (int opcode = firstOpcode; opcode <= lastOpcode; opcode++) {
			EFFECTS[opcode] = takesAndLeaves;
		}
	}

	/**
	 * Takes a method that is called on {@code this}.
	 * @param owner the class, with slashes, that the call names
	 */
	abstract void onCall(String owner, String name, String descriptor);

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		this.targets.put(handler, List.of(false));
	}

	@Override
	public void visitLabel(Label label) {
		List<Boolean> known = this.targets.get(label);
		if (!this.reachable || known != null) {
			this.stack = new ArrayList<>((known != null) ? known : List.of());
			this.reachable = true;
		}
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		apply(opcode);
		jumpTo(label);
		this.reachable = opcode != Opcodes.GOTO;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
		switchTo(other, labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
		switchTo(other, labels);
	}

	@Override
	public void visitInsn(int opcode) {
		if (opcode >= Opcodes.DUP && opcode <= Opcodes.DUP2_X2) {
			int copied = (opcode < Opcodes.DUP2) ? 1 : 2;
			int under = (opcode - Opcodes.DUP) % 3;
			int size = this.stack.size();
			this.stack.addAll(size - copied - under, List.copyOf(this.stack.subList(size - copied, size)));
		}
		else if (opcode == Opcodes.SWAP) {
			this.stack.add(this.stack.remove(this.stack.size() - 2));
		}
		else if ((opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) || opcode == Opcodes.ATHROW) {
			this.reachable = false;
		}
		else {
			apply(opcode);
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		apply(opcode);
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		if (opcode == Opcodes.ALOAD && variable == 0) {
			this.stack.add(true);
		}
		else {
			apply(opcode);
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		if (opcode != Opcodes.CHECKCAST) {
			apply(opcode);
		}
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
		boolean isGet = opcode == Opcodes.GETSTATIC || opcode == Opcodes.GETFIELD;
		apply((isStatic ? 0 : 1) + (isGet ? 0 : size), isGet ? size : 0);
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int receiver = (opcode == Opcodes.INVOKESTATIC) ? 0 : 1;
		call(descriptor, receiver, receiver == 1, owner, name, descriptor);
	}

	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		for (Object argument : arguments) {
			if (argument instanceof Handle method && METHODS.contains(method.getTag())
					&& Type.getArgumentTypes(descriptor).length > 0) {
				call(descriptor, 0, true, method.getOwner(), method.getName(), method.getDesc());
				return;
			}
		}
		call(descriptor, 0, false, "", "", "");
	}

	@Override
	public void visitLdcInsn(Object value) {
		apply(0, (value instanceof Long || value instanceof Double) ? 2 : 1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		apply(dimensions, 1);
	}

	/**
	 * Takes the arguments of a call, and tells of it if the first of them is
	 * {@code this}.
	 */
	private void call(String descriptor, int receiver, boolean onFirst, String owner, String name, String target) {
		int arguments = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1 + receiver;
		if (onFirst && this.stack.get(this.stack.size() - arguments)) {
			onCall(owner, name, target);
		}
		apply(arguments, Type.getReturnType(descriptor).getSize());
	}

	private void switchTo(Label other, Label[] labels) {
		apply(1, 0);
		jumpTo(other);
		for (Label label : labels) {
			jumpTo(label);
		}
		this.reachable = false;
	}

	private void jumpTo(Label label) {
		this.targets.putIfAbsent(label, List.copyOf(this.stack));
	}

	private void apply(int opcode) {
		apply(EFFECTS[opcode] / 10, EFFECTS[opcode] % 10);
	}

	private void apply(int takes, int leaves) {
		this.stack.subList(this.stack.size() - takes, this.stack.size()).clear();
		for (int i = 0; i < leaves; i++) {
			this.stack.add(false);
		}
	}

}
