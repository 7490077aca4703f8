import type { Expression, NodeOf, Parameter } from '../syntax/tree.ts'
import { Hash, Routine, Sequence, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { fail, missing } from './machine.ts'
import type { Content, Frame, Leaving, Machine } from './machine.ts'
import { TextSink } from './output.ts'
import { wrapper } from './wrappers.ts'

/** Runs a macro: `<@name …>`. */
export function callMacro(machine: Machine, node: NodeOf<'call'>): Leaving | undefined {
  const { of, at } = node
  const target = machine.evaluate(of)
  const wrap = target instanceof Routine ? undefined : wrapper(machine, node)
  if (wrap) return wrap(() => machine.run(node.children))
  if (target === undefined) missing(at, of.kind === 'variable' ? of.name : 'the macro')
  if (!(target instanceof Routine) || target.definition.isFunction)
    fail(at, `is ${typeOf(target)}, not a macro`)
  const { definition } = target
  const content: Content = {
    nodes: node.children,
    names: node.bodyNames,
    frame: machine.frame,
    locals: machine.locals,
    snippet: machine.snippet,
  }
  const variables = node.named
    ? namedVariables(machine, definition, node.named, at)
    : listedVariables(
        definition,
        node.args.map((arg) => machine.evaluate(arg)),
        at,
      )
  const leaving = within(machine, { variables, content }, target, at)
  return leaving === 'return' ? undefined : leaving
}

/** The value of a function. */
export function callFunction(
  machine: Machine,
  routine: Routine,
  args: readonly (Value | undefined)[],
  at: number,
): Value | undefined {
  const frame = { variables: listedVariables(routine.definition, args, at), content: null }
  const { sink, returned } = machine
  machine.sink = new TextSink(machine)
  machine.returned = undefined
  try {
    within(machine, frame, routine, at)
    return machine.returned
  } finally {
    machine.sink = sink
    machine.returned = returned
  }
}

/** Runs the content of the call: `<#nested …>`. */
export function runNested(machine: Machine, node: NodeOf<'nested'>): Leaving | undefined {
  const content = machine.frame?.content
  if (!content) return undefined
  const values = node.args.map((arg) => machine.evaluate(arg))
  const { frame, locals } = machine
  machine.frame = content.frame
  machine.locals =
    content.names.length > 0
      ? { names: content.names, values, outer: content.locals, loop: null }
      : content.locals
  try {
    return machine.limits.deeper(node.at, () =>
      machine.within(content.snippet, () => machine.run(content.nodes)),
    )
  } finally {
    machine.frame = frame
    machine.locals = locals
  }
}

function within(machine: Machine, inner: Frame, routine: Routine, at: number): Leaving | undefined {
  const { frame, locals } = machine
  machine.frame = inner
  machine.locals = null
  try {
    return machine.limits.deeper(at, () =>
      machine.within(routine.snippet, () => runBody(machine, routine.definition)),
    )
  } finally {
    machine.frame = frame
    machine.locals = locals
  }
}

function runBody(machine: Machine, definition: NodeOf<'macro'>): Leaving | undefined {
  addDefaults(machine, definition.parameters, definition.at)
  return machine.run(definition.children)
}

function namedVariables(
  machine: Machine,
  { name, parameters, rest }: NodeOf<'macro'>,
  named: ReadonlyMap<string, Expression>,
  at: number,
): Map<string, Value> {
  const variables = new Map<string, Value>()
  const others = new Map<string, Value | undefined>()
  for (const [key, expression] of named) {
    const value = machine.evaluate(expression)
    const isKnown = parameters.some((parameter) => parameter.name === key)
    if (!isKnown && rest === null) fail(at, `${name} has no parameter ${key}`)
    if (!isKnown) others.set(key, value)
    else if (value !== undefined) variables.set(key, value)
  }
  if (rest !== null) variables.set(rest, new Hash(others))
  return variables
}

function listedVariables(
  { name, parameters, rest }: NodeOf<'macro'>,
  values: readonly (Value | undefined)[],
  at: number,
): Map<string, Value> {
  const variables = new Map<string, Value>()
  if (values.length > parameters.length && rest === null)
    fail(at, `${name} takes ${parameters.length} arguments, not ${values.length}`)
  for (const [index, parameter] of parameters.entries()) {
    const value = values[index]
    if (value !== undefined) variables.set(parameter.name, value)
  }
  if (rest !== null) variables.set(rest, new Sequence(values.slice(parameters.length)))
  return variables
}

/** A default may use other parameters, also those after it. */
function addDefaults(machine: Machine, parameters: readonly Parameter[], at: number): void {
  const variables = machine.frame?.variables ?? new Map<string, Value>()
  let open = parameters.filter(({ name }) => !variables.has(name))
  const required = open.find(({ otherwise }) => !otherwise)
  if (required) fail(at, `the parameter ${required.name} has no value`)
  for (let count = Number.POSITIVE_INFINITY; open.length > 0 && open.length < count;) {
    count = open.length
    open = open.filter(({ name, otherwise }) => {
      const value = otherwise ? machine.evaluate(otherwise) : undefined
      if (value !== undefined) variables.set(name, value)
      return value === undefined
    })
  }
  const [first] = open
  if (first) missing(first.otherwise?.at ?? at, `the default of ${first.name}`)
}
