/** The release of the interface specification that the service follows. */
export const INTERFACE_RELEASE = '9.5.0'

/** Tidemark's own release, as in `package.json`. */
export const VERSION = '0.1.0'
