/** A value, or a promise of it. A function that is called tens of thousands of times a second returns a known value as it is: to
 * await a promise costs more than the value. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Applies a function to a value, synchronously when the value is known; the function's error is then thrown synchronously as well. */
export function thenSync<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
