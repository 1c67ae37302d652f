// Code that imports this module names its errors, scopes and algorithms: one import must be enough.
@_exported public import KeyturnBase
@_exported public import KeyturnJose
@_exported public import KeyturnWire
