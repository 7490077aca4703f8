import type * as z from 'zod'

export type JsonObject = Record<string, unknown>

/** Whether a value is an object of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isJsonContainer(value) && !Array.isArray(value)
}

/** The value of a name that is a text of a user; undefined where the object inherits it, as `constructor`. */
export function ownValue<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether a value is an object or an array of JSON. */
export function isJsonContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The value of a JSON text, as a transformation of zod: any other text is a fault. */
export function readJson(text: string, issues: Pick<z.core.$RefinementCtx, 'addIssue'>): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    issues.addIssue({ code: 'custom', message: 'must be JSON' })
    return undefined
  }
}
