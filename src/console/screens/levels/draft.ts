import { t } from '../../language/t.ts'
import type { Slo } from './rules.ts'

/** A property as its row of the form holds it. */
export type Property = { readonly key: string; readonly value: string }

/** The fields of all objects while they are edited. */
export type Common = {
  readonly name: string
  readonly subType: string
  readonly parentId: number | null
  readonly isTemplate: boolean
  readonly properties: readonly Property[]
}

export function commonOf({
  name,
  subType,
  parentId,
  isTemplate,
  properties,
}: Pick<Slo, 'name' | 'subType' | 'parentId' | 'isTemplate' | 'properties'>): Common {
  return {
    name,
    subType,
    parentId,
    isTemplate,
    properties: properties.map(({ key, value }) => ({ key, value })),
  }
}

/** The number that a text of a form means, with a comma or a point. */
export function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'))
}

export function isNumber(text: string): boolean {
  return Number.isFinite(numberOf(text))
}

export function propertiesText(properties: readonly Property[]): string {
  return properties.map(({ key, value }) => `${key}: ${value}`).join('\n')
}

export function yesText(isTrue: boolean): string {
  return t(isTrue ? 'levels.yes' : 'levels.no')
}

/** A text or a number; a dash for none. */
export function plainText(value: unknown): string {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : '–'
}
