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

package io.holdfast.lock.interceptor.internal.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses expressions and finds what would fail at each call, as far as it can be known
 * before the first one: Spring evaluates an unknown {@code #name} to {@code null}.
 */
final class LockExpressionParser {

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "target", "args");

	private static final Set<String> ROOT_VARIABLES = Set.of("root", "this");

	/**
	 * Never compiles: threads that share a compiled expression may get each other's key.
	 */
	private final SpelExpressionParser parser = new SpelExpressionParser(
			new SpelParserConfiguration(SpelCompilerMode.OFF, null));

	/** What the contexts of all calls share, caches among them. */
	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	private final ConfigurableBeanFactory beanFactory;

	LockExpressionParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.delegates.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
		// The application may get its conversions after the first method was looked at.
		this.delegates.setTypeConverter(new StandardTypeConverter(() -> Objects
			.requireNonNullElseGet(beanFactory.getConversionService(), DefaultConversionService::getSharedInstance)));
		this.delegates.setBeanResolver(new BeanFactoryResolver(beanFactory));
	}

	/**
	 * Parses an expression of a method, and checks it against that.
	 * @return the expression, or {@code null} if the text is empty
	 * @throws InvalidAnnotationException if it is not valid
	 */
	@Nullable LockExpression parse(Method method, String attribute, String text, MethodParameters parameters) {
		if (text.isEmpty()) {
			return null;
		}
		SpelExpression expression = parse(attribute, text);
		Check check = new Check(attribute, text, parameters);
		check.checkValue(expression.getAST(), true);
		if (attribute.equals("key")) {
			check.checkKey(expression.getAST());
		}
		return new LockExpression(method, attribute, expression, parameters, this.delegates);
	}

	private SpelExpression parse(String attribute, String text) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (ParseException | IllegalArgumentException | IllegalStateException ex) {
			throw new InvalidAnnotationException(
					describe(attribute, text) + " is not a Spring expression: " + ex.getMessage() + ".",
					"Correct the expression. Text in it needs quotes: 'text'. Plain text belongs in \"name\".", ex);
		}
	}

	private static String describe(String attribute, String text) {
		return attribute + " \"" + text + "\"";
	}

	/**
	 * Walks over one expression.
	 */
	private final class Check {

		private final String subject;

		private final MethodParameters parameters;

		private final ExpressionTypes types;

		Check(String attribute, String text, MethodParameters parameters) {
			this.subject = describe(attribute, text);
			this.parameters = parameters;
			this.types = new ExpressionTypes(parameters);
		}

		/**
		 * Checks that the value may be a key, or several.
		 */
		void checkKey(SpelNode node) {
			if (node instanceof InlineList) {
				IntStream.range(0, node.getChildCount()).forEach((i) -> checkKey(node.getChild(i)));
				return;
			}
			ResolvableType type = this.types.of(node);
			String problem = (type != null) ? KeyText.problemOf(type) : null;
			if (problem != null) {
				throw invalid("is no key: " + problem + ".", "A key is text, a whole or decimal number, a UUID, an "
						+ "enum constant, an instant, a local date or time, or a record of these.");
			}
		}

		/**
		 * Checks a part of the expression of which nothing is asked but its value.
		 * @param atRoot whether a plain name in it is a property of the root object
		 */
		void checkValue(SpelNode node, boolean atRoot) {
			String text = node.toStringAST();
			if (isRoot(text, atRoot)) {
				throw invalid("uses " + text + ", which is the whole call, not an argument, and another one each time.",
						"Write #p0 for the first argument, or #root.method, #root.target or #root.args.");
			}
			check(node, atRoot);
		}

		private void check(SpelNode node, boolean atRoot) {
			if (node instanceof FunctionReference) {
				throw invalid("calls the function " + node.toStringAST() + ", and there are no functions.",
						"Call a method of a bean instead: @bean.method(#argument).");
			}
			if (node instanceof VariableReference) {
				checkVariable(node.toStringAST().substring(1));
			}
			else if (node instanceof BeanReference bean) {
				if (!LockExpressionParser.this.beanFactory.containsBean(bean.getName())) {
					throw invalid("refers to @" + bean.getName() + ", and there is no bean of that name.",
							"Correct the name, or define the bean.");
				}
			}
			else if (node instanceof PropertyOrFieldReference property && atRoot) {
				String name = property.getName();
				if (!ROOT_PROPERTIES.contains(name)) {
					throw invalid("refers to " + name + ", which is not a property of #root (method, target, args).",
							"Write #" + name + " for a parameter, '" + name
									+ "' for text, #root.method.name for the method's name.");
				}
			}
			else if (node instanceof StringLiteral) {
				if (node.toStringAST().contains("${")) {
					throw invalid("has a placeholder, which is not resolved in an expression.",
							"Put it into \"name\", or use @environment.getProperty('...').");
				}
			}
			else if (node instanceof CompoundExpression) {
				checkMembers(node);
			}
			for (int i = 0; i < node.getChildCount(); i++) {
				boolean childAtRoot = (atRoot && seesRoot(node, i)) || followsRoot(node, i, atRoot);
				if (node instanceof CompoundExpression && i == 0) {
					check(node.getChild(i), childAtRoot);
				}
				else {
					checkValue(node.getChild(i), childAtRoot);
				}
			}
		}

		private static boolean isRoot(String text, boolean atRoot) {
			return text.equals("#root") || (text.equals("#this") && atRoot);
		}

		private static boolean seesRoot(SpelNode node, int child) {
			if (node instanceof CompoundExpression) {
				return child == 0;
			}
			return !(node instanceof Projection || node instanceof Selection || node instanceof Indexer
					|| node instanceof MethodReference || node instanceof InlineMap);
		}

		private static boolean followsRoot(SpelNode node, int child, boolean atRoot) {
			return node instanceof CompoundExpression && child == 1 && isRoot(node.getChild(0).toStringAST(), atRoot);
		}

		private void checkVariable(String name) {
			if (this.parameters.index(name) != null || ROOT_VARIABLES.contains(name)) {
				return;
			}
			List<String> names = this.parameters.names();
			if (names.isEmpty() && this.parameters.count() > 0) {
				throw invalid("refers to #" + name + ", but the names of the parameters are not known.",
						"Compile the class with the option -parameters (Spring Boot's Maven and Gradle plugins do; an "
								+ "IDE may need a setting), or refer to the parameter by its position; the first is #p0.");
			}
			throw invalid("refers to #" + name + ", and the method has no parameter of that name.", names.isEmpty()
					? "The method has no parameters." : "Its parameters are #" + String.join(", #", names) + ".");
		}

		private void checkMembers(SpelNode path) {
			try {
				this.types.of(path);
			}
			catch (IllegalArgumentException ex) {
				throw invalid(String.valueOf(ex.getMessage()), "Correct the name, or make it public.");
			}
		}

		private InvalidAnnotationException invalid(String problem, String action) {
			return new InvalidAnnotationException(this.subject + " " + problem, action);
		}

	}

}
