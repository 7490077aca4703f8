import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { send, urlOf } from '../../../api/client.ts'
import { asFailure } from '../../../api/failure.ts'
import type { Failure } from '../../../api/failure.ts'
import { FailureNote } from '../../../kit/feedback.tsx'
import { StateIcon } from '../../../kit/icons.tsx'
import { shapeOf, stateWord } from '../../../kit/state.tsx'
import type { DataOf, WidgetOf } from '../dashboard.ts'
import { ObjectWay } from './object-way.tsx'

/** A file of the service as an image, with the states of objects on it. */
export function Picture({
  widget: { file, alt, fit, hotspots },
  data,
}: {
  readonly widget: WidgetOf<'image'>
  readonly data: DataOf<'objects'> | null
}): JSX.Element {
  const { url, failure } = useImage(file)
  if (failure) return <FailureNote failure={failure} what={file} />
  return (
    <div class="picture">
      {url !== null && <img src={url} alt={alt} style={{ objectFit: fit }} />}
      {hotspots.map(({ x, y, objectId }, at) => {
        const object = data?.objects.find(({ id }) => id === objectId)
        if (!object) return null
        const text = `${object.name}: ${stateWord(object.state)}`
        return (
          <ObjectWay
            key={at}
            object={object}
            label={text}
            class="hotspot"
            data-s={shapeOf(object.state)}
            style={{ insetInlineStart: `${x * 100}%`, top: `${y * 100}%` }}
          >
            <StateIcon shape={shapeOf(object.state)} />
          </ObjectWay>
        )
      })}
    </div>
  )
}

/** The address of a file in the page: an `img` alone could not carry the access token. */
function useImage(file: string): { readonly url: string | null; readonly failure: Failure | null } {
  const [url, setUrl] = useState<string | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  useEffect(() => {
    let made: string | null = null
    let isGone = false
    const read = async (): Promise<void> => {
      try {
        const blob = await (
          await send('GET', urlOf('/files/{filename}', { path: { filename: file } }))
        ).blob()
        if (isGone) return
        made = URL.createObjectURL(blob)
        setUrl(made)
      } catch (error) {
        setFailure(asFailure(error))
      }
    }
    void read()
    return () => {
      isGone = true
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [file])
  return { url, failure }
}
