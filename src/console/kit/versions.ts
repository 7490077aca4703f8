/** An object as it was read, with the version that `If-Match` takes. */
export type Version<T> = { readonly object: T; readonly etag: string | undefined }

/** A field in which two versions of a configuration differ, as texts for people. */
type Difference<D> = {
  readonly field: keyof D & string
  readonly theirs: string
  readonly mine: string
  /** Whether both users changed the field, each in another way. */
  readonly isBoth: boolean
}

/** The fields that the user or another one has changed since the user began.
 * @param textOf a field for people */
export function differences<D extends object>(
  { base, theirs, mine }: { readonly base: D; readonly theirs: D; readonly mine: D },
  textOf: (version: D, field: keyof D & string) => string,
): readonly Difference<D>[] {
  return fieldsOf(base).flatMap((field) => {
    const [before, other, own] = [base, theirs, mine].map((version) => textOf(version, field))
    if (before === undefined || other === undefined || own === undefined) return []
    if (before === other && before === own) return []
    return [{ field, theirs: other, mine: own, isBoth: before !== other && before !== own && other !== own }]
  })
}

/** The other user's version with the fields that the user has changed. */
export function merged<D extends object>(base: D, theirs: D, mine: D): D {
  return { ...theirs, ...changedFields(base, mine) }
}

/** The fields of the second version that differ from the first. */
export function changedFields<D extends object>(before: D, after: D): Partial<D> {
  const changed = fieldsOf(before).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  return Object.fromEntries(changed.map((field) => [field, after[field]])) as Partial<D>
}

function fieldsOf<D extends object>(draft: D): (keyof D & string)[] {
  return Object.keys(draft) as (keyof D & string)[]
}
