// Code that imports this module names its errors, scopes, prompts and transports: one import must be enough.
@_exported public import KeyturnBase
@_exported public import KeyturnVerify
@_exported public import KeyturnWire
