export type JsonObject = Record<string, unknown>

/** Whether a value is an object of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isJsonContainer(value) && !Array.isArray(value)
}

/** Whether a value is an object or an array of JSON. */
export function isJsonContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
