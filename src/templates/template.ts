import { TemplateFault, placing } from './fault.ts'
import { Limits, TEMPLATE_MAX } from './limits.ts'
import type { Inner } from './pieces.ts'
import { referencesIn } from './references.ts'
import type { References } from './references.ts'
import { Interpreter } from './run/interpreter.ts'
import type { Parsed } from './run/interpreter.ts'
import { parse } from './syntax/parser.ts'
import { Decimal } from './values/decimal.ts'
import { DateValue, Fragment, Hash, NativeFunction, Sequence, Text } from './values/value.ts'
import type { Value } from './values/value.ts'
import { Written } from './written.ts'

/** A value that a template is given. A `Text` of the caller may be clean, other strings are tainted. */
export type Given =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Decimal
  | DateValue
  | Text
  | NativeFunction
  | readonly Given[]
  | { readonly [name: string]: Given }

export type Surroundings = {
  readonly parameters: Readonly<Record<string, Given>>
  /** The zone of dates, such as `Europe/Zurich`. */
  readonly timeZone: string
  /** The snippet that `include "snippet:name"` names. */
  readonly snippet?: (name: string) => Template | undefined
  /** The formats at the beginning of a run, such as `number_format`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The limits that a template shares with those to which it refers; by default it has limits of its own. */
  readonly limits?: Limits
}

const SETTINGS: readonly (readonly [string, string])[] = [
  ['number_format', 'computer'],
  ['boolean_format', 'true,false'],
  ['date_format', 'iso'],
  ['time_format', 'iso'],
  ['datetime_format', 'iso'],
]

/** A template that was parsed: it may run many times. */
export class Template {
  #references: References | null = null

  private constructor(private readonly parsed: Parsed) {}

  /** @throws {TemplateFault} with the line and the column of the first fault */
  static parse(text: string): Template {
    return placing(text, null, () => {
      if (text.length > TEMPLATE_MAX)
        throw new TemplateFault(
          TEMPLATE_MAX,
          `the template has more than ${TEMPLATE_MAX} characters`,
          'limit',
        )
      return new Template({ text, nodes: onStack(() => parse(text)) })
    })
  }

  /** Whether the text has this name in any place: a template that has not does not read the variable. */
  mentions(name: string): boolean {
    return this.parsed.text.includes(name)
  }

  /** The calls of the function `ref` of the caller. */
  references(): References {
    return (this.#references ??= referencesIn(this.parsed))
  }

  /** The text that the template writes.
   * @throws {TemplateFault} with the line and the column of the fault */
  text(surroundings: Surroundings): string {
    const output = this.#run(surroundings, false)
    return output instanceof Text ? output.text : ''
  }

  /** The SQL that the template writes, as a part of the SQL of another one. @throws {TemplateFault} as `sql` */
  inner(name: string, surroundings: Surroundings): Inner {
    const output = this.#run(surroundings, true)
    return { name, pieces: output instanceof Fragment ? output.pieces : [], text: this.parsed.text }
  }

  /** The SQL that the template writes: text and values, in pieces.
   * @throws {TemplateFault} with the line and the column of the fault */
  sql(surroundings: Surroundings): Written {
    const output = this.#run(surroundings, true)
    const textOf = (name: string | null) =>
      name === null ? this.parsed.text : (surroundings.snippet?.(name)?.parsed.text ?? '')
    return new Written(output instanceof Fragment ? output.pieces : [], textOf)
  }

  #run(
    { parameters, timeZone, snippet, settings, limits = new Limits() }: Surroundings,
    isSql: boolean,
  ): Value {
    const model = new Map(Object.entries(parameters).map(([name, value]) => [name, valueOf(value)] as const))
    const interpreter = new Interpreter(this.parsed, {
      isSql,
      timeZone,
      model,
      settings: new Map([...SETTINGS, ...Object.entries(settings ?? {})]),
      snippet: (name) => snippet?.(name)?.parsed,
      limits,
    })
    return placing(this.parsed.text, null, () => onStack(() => interpreter.output()))
  }
}

/** Some hosts have a stack that is too small for all that the limits allow. */
function onStack<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof RangeError) || !/call stack/i.test(error.message)) throw error
    throw new TemplateFault(0, 'the template is nested too deeply', 'limit')
  }
}

function valueOf(given: Given): Value | undefined {
  if (given === null || given === undefined) return undefined
  switch (typeof given) {
    case 'string':
      return new Text(given, true)
    case 'boolean':
      return given
    case 'bigint':
    case 'number':
      return numberOf(given)
    default:
      return structureOf(given)
  }
}

function numberOf(given: number | bigint): Decimal {
  const number = Decimal.parse(String(given))
  if (!number) throw new RangeError(`${given} is not a number of templates`)
  return number
}

function structureOf(given: Exclude<Given, string | number | bigint | boolean | null | undefined>): Value {
  if (isValue(given)) return given
  if (isList(given)) return new Sequence(given.map(valueOf))
  return new Hash(new Map(Object.entries(given).map(([name, value]) => [name, valueOf(value)])))
}

const isValue = (given: object): given is Decimal | DateValue | Text | NativeFunction =>
  given instanceof Decimal ||
  given instanceof DateValue ||
  given instanceof Text ||
  given instanceof NativeFunction

const isList = (given: object): given is readonly Given[] => Array.isArray(given)
