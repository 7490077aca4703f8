export type JsonObject = Record<string, unknown>

/** Whether a value is an object of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
