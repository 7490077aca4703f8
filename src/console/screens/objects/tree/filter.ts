export type Condition = {
  readonly item: string
  readonly operator: string
  readonly expression?: string
  /** The key of the property of which an item speaks. */
  readonly propertyKey?: string
  /** The key or name of the value of which an item speaks. */
  readonly value?: string
}

/** A filter definition as the API takes it. */
export type Definition = {
  readonly type: string | null
  readonly mode: 'and' | 'or'
  readonly conditions: readonly Condition[]
}

export const NO_FILTER: Definition = { type: null, mode: 'and', conditions: [] }

const isStopped: Condition = { item: 'execution', operator: 'stopped' }
export const stoppedFilter = JSON.stringify({ type: 'job', mode: 'and', conditions: [isStopped] })
