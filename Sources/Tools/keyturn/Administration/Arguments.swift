public import ArgumentParser
public import KeyturnWire
public import Model

// Values of the rules that people write on the command line by their own names.
extension UserImport.Rule: ExpressibleByArgument {}
extension User.Status: ExpressibleByArgument {}
extension DeliveryMethod: ExpressibleByArgument {}
