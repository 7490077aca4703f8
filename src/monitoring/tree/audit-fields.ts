import type { NewObject } from './store.ts'

type AuditedFields = Pick<NewObject, 'subType' | 'name' | 'isTemplate' | 'instanceType' | 'properties'> & {
  readonly parentId: number | null
}

/** The fields of all types that an audit entry has: the ones that a request can set. */
export function auditFieldsOf({
  subType,
  name,
  isTemplate,
  instanceType,
  properties,
  parentId,
}: AuditedFields) {
  // Rows have ids that a request need not name, and are in the order of their keys.
  const own = properties
    .map(({ key, value }) => ({ key, value }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return { subType, name, isTemplate, instanceType, properties: own, parentId }
}
