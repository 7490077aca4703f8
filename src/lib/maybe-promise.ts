/** What is known at once, or comes. Who is asked tens of thousands of times a second makes no promise of what it knows: to
 * wait for one takes longer than to know. */
export type Soon<Value> = Value | Promise<Value>

/** Does something with a value: at once where it is known. What that throws is then thrown at once as well. */
export function soon<Value, Result>(value: Soon<Value>, use: (value: Value) => Soon<Result>): Soon<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
