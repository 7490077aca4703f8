import { TemplateFault } from '../../templates/fault.ts'
import type { Limits } from '../../templates/limits.ts'
import type { Inner } from '../../templates/pieces.ts'
import { Template } from '../../templates/template.ts'
import type { Given, Surroundings } from '../../templates/template.ts'
import { Fragment, Hash, NativeFunction, Text, hashOf } from '../../templates/values/value.ts'
import type { Value } from '../../templates/values/value.ts'
import { innerFault } from '../sql/template-sql.ts'
import { innerValues } from './parameters.ts'
import type { Allowed } from './parameters.ts'
import { keyOf } from './references.ts'
import type { Library, Published } from './references.ts'

const CALLS_MAX = 100

type Values = Readonly<Record<string, Given>>

/** Data that the templates of one statement share. */
export type Stage = Pick<Surroundings, 'timeZone'> & {
  readonly published: Library
  /** Stored results, by the keys of the names of their data queries. */
  readonly results: ReadonlyMap<string, { readonly name: string }>
  readonly allowed: Allowed
  readonly user: Given
  readonly limits: Limits
  /** The calls of `ref` so far. */
  calls: number
}

/** The variables of a template: parameters by their names and in `params`, the caller as `user`, and `ref`. */
export function surroundingsOf(stage: Stage, values: Values): Surroundings {
  const { timeZone, limits, user } = stage
  const ref = new NativeFunction((args, at) => new Call(stage, values, at).fragment(args))
  return { parameters: { ...values, params: values, user, ref }, timeZone, limits }
}

/** A call of `ref`: the statement of another data query. */
class Call {
  constructor(
    private readonly stage: Stage,
    /** The parameters of the calling template. */
    private readonly inherited: Values,
    private readonly at: number,
  ) {}

  fragment([name, passed, ...others]: readonly (Value | undefined)[]): Fragment {
    const { stage, inherited } = this
    if (!(name instanceof Text) || others.length > 0)
      return this.#fail('ref takes the name of a data query, and a hash of values')
    const found = stage.published.get(keyOf(name.text))
    if (!found) return this.#fail(`there is no published data query ${name.text}`)
    stage.calls += 1
    if (stage.calls > CALLS_MAX) return this.#fail(`ref is called more than ${CALLS_MAX} times`)
    const given = passed === undefined ? new Hash(new Map()) : hashOf(passed)
    if (!given) return this.#fail('the values of a data query are a hash, such as {"region": x}')
    const stored = stage.results.get(keyOf(name.text))
    if (stored && !this.#isGiven(found, given)) return this.#piece(storedRows(found.name, stored, stage))
    const values = innerValues(found.parameters, {
      passed: given.entries,
      inherited,
      allowed: stage.allowed,
      fail: (complaint) => this.#fail(`in the data query ${found.name}, ${complaint}`),
    })
    return this.#piece(this.#inner(found, values))
  }

  #piece(inner: Inner): Fragment {
    return new Fragment([{ kind: 'statement', inner, at: this.at, snippet: null }])
  }

  /** Whether parameters of a data query have other values than their defaults. */
  #isGiven({ parameters }: Published, { entries }: Hash): boolean {
    const isInherited = (name: string) =>
      Object.hasOwn(this.inherited, name) && (this.inherited[name] ?? null) !== null
    return entries.size > 0 || parameters.some(({ name }) => isInherited(name))
  }

  #inner({ name, template }: Published, values: Values) {
    if (!template) return this.#fail(`the data query ${name} is not a template`)
    try {
      return template.inner(name, surroundingsOf(this.stage, values))
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      return this.#fail(innerFault(name, error), error.code)
    }
  }

  #fail(complaint: string, code?: TemplateFault['code']): never {
    throw new TemplateFault(this.at, complaint, code)
  }
}

/** The statement that reads a stored result, whose name needs no quotes. */
function storedRows(title: string, stored: { readonly name: string }, stage: Stage): Inner {
  return Template.parse(`SELECT * FROM ${stored.name}`).inner(title, surroundingsOf(stage, {}))
}
