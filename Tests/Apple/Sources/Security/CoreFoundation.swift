import Foundation

// What `import Foundation` brings on Apple platforms, bridged to what Foundation has everywhere.
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFData = NSData
public typealias CFTypeRef = AnyObject
public typealias CFError = NSError
public typealias CFErrorDomain = NSString
public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFOptionFlags = UInt
public typealias OSStatus = Int32

/// No allocator is ever passed.
public final class CFAllocator {}

public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID {
    object is SecKey ? SecKeyGetTypeID() : 1
}

public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { error.domain as NSString }
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }
