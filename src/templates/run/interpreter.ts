import { TemplateFault, UNPLACED, placing } from '../fault.ts'
import type { Limits } from '../limits.ts'
import type { Piece } from '../pieces.ts'
import type { Expression, Node, NodeOf, Scope } from '../syntax/tree.ts'
import { Decimal } from '../values/decimal.ts'
import { Fragment, Routine, Text } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { runAll } from './elements.ts'
import { evaluate } from './evaluate.ts'
import type { Frame, Leaving, Local, Machine, Sink } from './machine.ts'
import { SqlSink, TextSink } from './output.ts'

/** A template that was parsed. */
export type Parsed = { readonly text: string; readonly nodes: readonly Node[] }

/** The input of a run. */
export type Run = {
  readonly isSql: boolean
  readonly timeZone: string
  /** Parameters. A value of undefined is null. */
  readonly model: ReadonlyMap<string, Value | undefined>
  readonly settings: ReadonlyMap<string, string>
  /** The snippet of this name. */
  readonly snippet: (name: string) => Parsed | undefined
  readonly limits: Limits
}

/** Runs one template once. */
export class Interpreter implements Machine {
  readonly limits: Limits
  readonly isSql: boolean
  readonly settings: Map<string, Text>
  readonly timeZone: string
  sink: Sink
  frame: Frame | null = null
  locals: Local | null = null
  pending: { readonly value: Value; hasTurns: boolean } | null = null
  returned: Value | undefined
  #snippet: string | null = null
  readonly #texts: Map<string | null, string>
  readonly #namespace = new Map<string, Value>()
  readonly #globals = new Map<string, Value>()

  constructor(
    private readonly template: Parsed,
    private readonly given: Run,
  ) {
    this.limits = given.limits
    this.isSql = given.isSql
    this.settings = new Map(
      [...given.settings].map(([name, format]) => [name, new Text(format, false)] as const),
    )
    this.timeZone = given.timeZone
    this.sink = this.#newSink()
    this.#texts = new Map([[null, template.text]])
  }

  get snippet(): string | null {
    return this.#snippet
  }

  /** The output of the template: a text, or pieces of SQL. */
  output(): Value {
    this.within(null, () => {
      this.#hoist(this.template.nodes)
      if (this.run(this.template.nodes)) throw new TemplateFault(0, 'returns from no function')
    })
    return this.#collected(this.sink)
  }

  lookup(name: string): Value | undefined {
    for (let local = this.locals; local; local = local.outer) {
      const value = localValue(local, name)
      if (value !== undefined) return value
    }
    return (
      this.frame?.variables.get(name) ??
      this.#namespace.get(name) ??
      this.#globals.get(name) ??
      this.given.model.get(name)
    )
  }

  isNullParameter(name: string): boolean {
    return this.given.model.has(name) && this.given.model.get(name) === undefined
  }

  lookupIn(scope: Scope, name: string): Value | undefined {
    return this.#variables(scope)?.get(name)
  }

  assign(scope: Scope, name: string, value: Value): void {
    this.#variables(scope)?.set(name, value)
  }

  define(node: NodeOf<'macro'>): void {
    this.#namespace.set(node.name, new Routine(node, this.#snippet))
  }

  evaluate(expression: Expression): Value | undefined {
    return evaluate(this, expression)
  }

  run(nodes: readonly Node[]): Leaving | undefined {
    return runAll(this, nodes)
  }

  capture(run: () => Leaving | undefined): {
    readonly value: Value
    readonly leaving: Leaving | undefined
  } {
    const { sink } = this
    this.sink = this.#newSink()
    try {
      const leaving = run()
      return { value: this.#collected(this.sink), leaving }
    } finally {
      this.sink = sink
    }
  }

  write(value: Value): void {
    if (value instanceof Fragment) for (const piece of value.pieces) this.sink.piece(piece)
    else if (value instanceof Text) this.sink.value(value, 0)
  }

  within<T>(snippet: string | null, run: () => T): T {
    const outer = this.#snippet
    this.#snippet = snippet
    try {
      return placing(this.#texts.get(snippet) ?? '', snippet, () => this.#locating(run))
    } finally {
      this.#snippet = outer
    }
  }

  include(name: string, at: number): Leaving | undefined {
    const found = /^snippet:([^]+)$/.exec(name)?.[1]
    const snippet = found === undefined ? undefined : this.given.snippet(found)
    if (found === undefined || !snippet)
      throw new TemplateFault(at, `includes ${name}, which is not a snippet`)
    this.#texts.set(found, snippet.text)
    return this.limits.deeper(at, () =>
      this.within(found, () => {
        this.#hoist(snippet.nodes)
        return this.run(snippet.nodes)
      }),
    )
  }

  #locating<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof TemplateFault) || error.position !== UNPLACED) throw error
      throw new TemplateFault(this.limits.at, error.complaint, error.code)
    }
  }

  #variables(scope: Scope): Map<string, Value> | undefined {
    if (scope === 'namespace') return this.#namespace
    return scope === 'global' ? this.#globals : this.frame?.variables
  }

  /** Definitions are known before they are run. */
  #hoist(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.kind === 'macro') this.define(node)
      else this.#hoist(node.children)
    }
  }

  #newSink(): Sink {
    return this.given.isSql ? new SqlSink(this) : new TextSink(this)
  }

  #collected(sink: Sink): Value {
    if (sink instanceof TextSink) return new Text(sink.content, sink.isTainted)
    return new Fragment(sink instanceof SqlSink ? sink.pieces : ([] as readonly Piece[]))
  }
}

/** The value of a loop variable `x`, of `x_index` or of `x_has_next`. */
function localValue({ names, values, loop }: Local, name: string): Value | undefined {
  const index = names.indexOf(name)
  if (index >= 0) return values[index]
  if (!loop || !name.startsWith(names[0] ?? '')) return undefined
  if (name === `${names[0]}_index`) return Decimal.of(loop.index)
  return name === `${names[0]}_has_next` ? loop.hasNext : undefined
}
