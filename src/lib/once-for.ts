/** The function that makes a value for each key when it is first asked for it. The value lives as long as its key. */
export function onceFor<Key extends WeakKey, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}
