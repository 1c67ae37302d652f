public import ArgumentParser
public import Identity
public import KeyturnWire

// Values of the rules that people write on the command line by their own names.
extension UserImport.Rule: ExpressibleByArgument {}
extension User.Status: ExpressibleByArgument {}
extension DeliveryMethod: ExpressibleByArgument {}
