import { Refusal } from '../../lib/errors.ts'
import { runBody } from '../runs/schema.ts'
import type { RunBody } from '../runs/schema.ts'
import { isJsonObject } from '../../lib/json.ts'

/** The parameters of a script from the body of a call: a JSON object as it is, other JSON and other texts as `body`, and
 * none from an empty one. @throws {Refusal} bad_request for a body that is not UTF-8, invalid for one that is too large */
export function parametersOf(bytes: Uint8Array): RunBody['parameters'] {
  const text = textOf(bytes)
  const said = text.trim() === '' ? {} : jsonOf(text)
  const result = runBody.shape.parameters.safeParse(isJsonObject(said) ? said : { body: said })
  if (result.success) return result.data
  const errors = [{ pointer: '', message: 'is larger than the parameters of a run can be' }]
  throw new Refusal('invalid', 'The parameters are invalid; see errors.', errors)
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new Refusal('bad_request', 'The body is not UTF-8 text.')
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
