import { useState } from 'preact/hooks'

import { boundsOf, objectsIn, typeOf } from './document.ts'
import type { OpenApi, Schema } from './document.ts'

/** The fields of a schema. The fields of a field open below it. */
export function SchemaView({ document, schema }: { readonly document: OpenApi; readonly schema: Schema }) {
  const objects = objectsIn(document, schema)
  if (objects.length === 0) return <p class="quiet">{typeOf(schema)}</p>
  return (
    <>
      {objects.map((object, index) => (
        <div key={index} class="fields">
          {objects.length > 1 && <p class="faint small">Choice {index + 1}</p>}
          <ul>
            {Object.entries(object.properties ?? {}).map(([name, field]) => (
              <Field
                key={name}
                name={name}
                document={document}
                schema={field}
                isRequired={object.required?.includes(name) ?? false}
              />
            ))}
            {typeof object.additionalProperties === 'object' && (
              <Field
                name="any other name"
                document={document}
                schema={object.additionalProperties}
                isRequired={false}
              />
            )}
          </ul>
        </div>
      ))}
    </>
  )
}

type FieldProps = {
  readonly name: string
  readonly document: OpenApi
  readonly schema: Schema
  readonly isRequired: boolean
}

function Field({ name, document, schema, isRequired }: FieldProps) {
  const [isOpen, setOpen] = useState(false)
  const hasFields = objectsIn(document, schema).length > 0
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(schema.readOnly ? ['read only'] : []),
    ...boundsOf(schema),
  ]
  return (
    <li>
      <code class="name">{name}</code> <span class="type">{typeOf(schema)}</span>
      {notes.length > 0 && <span class="faint small"> {notes.join(', ')}</span>}
      {schema.description !== undefined && <p class="quiet">{schema.description}</p>}
      {hasFields && (
        <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'} fields of {name}
        </button>
      )}
      {isOpen && <SchemaView document={document} schema={schema} />}
    </li>
  )
}
