/** What is known at once, or comes. Who is asked tens of thousands of times a second makes no promise of what it knows: to
 * wait for one takes longer than to know. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Does something with a value: at once where it is known. What that throws is then thrown at once as well. */
export function thenSync<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
