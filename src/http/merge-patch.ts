import * as z from 'zod'
import { Refusal } from '../lib/errors.ts'
import type { Fault } from '../lib/errors.ts'
import { isNestedWithin } from '../lib/nesting.ts'
import { pointerOf } from '../lib/pointer.ts'
import { parsed } from './valid.ts'
import { isJsonObject, ownValue } from '../lib/json.ts'

/** The media type of a JSON merge patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json'

/** Merging goes down level by level, and the stack of Workers is short. */
const LEVELS_MAX = 100

export const mergePatch = z
  .record(z.string(), z.unknown())
  .refine((patch) => isNestedWithin(patch, LEVELS_MAX), `must be nested at most ${LEVELS_MAX} levels deep`)
  .describe(
    'A JSON merge patch (RFC 7396): absent fields are unchanged, objects are merged, and null sets null if the field is nullable, else its default.',
  )

type Json = Readonly<Record<string, unknown>>

/** The value that null stands for in optional fields, by the pointer of the field; undefined: null removes the field. */
export type Unset = Readonly<Record<string, unknown>>

/** The body of the PUT that is equivalent to a merge patch, checked by the schema of PUT.
 * @param shown what a read shows @throws {Refusal} invalid with pointers into the patch */
export function patched<Body extends z.ZodType>(
  schema: Body,
  { shown, patch, unset = {} }: { readonly shown: Json; readonly patch: unknown; readonly unset?: Unset },
): z.output<Body> {
  const faults: Fault[] = []
  const body = merged(schema, shown, { patch, at: '', unset, faults })
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
  return parsed(schema, body)
}

type Merging = {
  readonly patch: unknown
  readonly at: string
  readonly unset: Unset
  readonly faults: Fault[]
}

function merged(schema: unknown, shown: unknown, { patch, at, unset, faults }: Merging): unknown {
  if (!isJsonObject(patch)) return patch
  const was: Json = isJsonObject(shown) ? shown : {}
  const fields = fieldsOf(schema)
  const result = new Map(Object.entries(was))
  for (const [key, value] of Object.entries(patch)) {
    const [field, present] = [ownValue(fields, key), ownValue(was, key)]
    const pointer = at + pointerOf([key])
    const nested = { patch: value, at: pointer, unset, faults }
    if (isShownOnly(field)) {
      if (JSON.stringify(value) !== JSON.stringify(present))
        faults.push({ pointer, message: 'cannot be changed' })
    } else if (value !== null) result.set(key, merged(field, present, nested))
    else if (unset[pointer] !== undefined) result.set(key, unset[pointer])
    else if (Object.hasOwn(unset, pointer)) result.delete(key)
    else if (field?.safeParse(null).success) result.set(key, null)
    else if (field instanceof z.ZodOptional) faults.push({ pointer, message: 'cannot be null' })
    else result.delete(key)
  }
  return Object.fromEntries(result)
}

/** The fields of an object, or of all forms that it may have. */
function fieldsOf(schema: unknown): Readonly<Record<string, z.ZodType | undefined>> {
  if (schema instanceof z.ZodObject) return schema.shape
  if (schema instanceof z.ZodUnion) {
    const forms = schema.options.flatMap((option) => Object.entries(fieldsOf(option)))
    const byKey = Map.groupBy(forms, ([key]) => key)
    return Object.fromEntries(
      [...byKey].map(([key, fields]) => [key, oneOf(fields.map(([, field]) => field))]),
    )
  }
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return fieldsOf(schema.unwrap())
  return {}
}

/** A field that has several forms. */
function oneOf(forms: readonly (z.ZodType | undefined)[]): z.ZodType | undefined {
  const [first, ...others] = new Set(forms.filter((form) => form !== undefined))
  return first && others.length > 0 ? z.union([first, ...others]) : first
}

function isShownOnly(field: z.ZodType | undefined): boolean {
  return field?.meta()?.['readOnly'] === true
}
