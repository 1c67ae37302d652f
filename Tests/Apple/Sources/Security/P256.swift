/// ECDSA on P-256 with SHA-256 (FIPS 186-5), for tests: slow, and not in constant time.
public enum P256 {
    public typealias Scalar = Number

    static let p = Field("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    static let n = Field("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    static let base = Point(
        x: Number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
        y: Number("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))

    struct Point {
        let x: Number
        let y: Number
    }

    static func makeKey() -> (secret: Number, point: [UInt8]) {
        while true {
            let secret = Number(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
            if !secret.isZero, secret < n.modulus, let point = multiply([(secret, base)]) {
                return (secret, [4] + point.x.bytes + point.y.bytes)
            }
        }
    }

    static func derSignature(of message: [UInt8], by secret: Number) -> [UInt8] {
        let digest = n.reduce(Number(bytes: SHA256.hash(message)))
        while true {
            let (nonce, point) = makeKey()
            let r = n.reduce(Number(bytes: Array(point[1..<33])))
            let s = n.multiply(n.inverse(nonce), n.add(digest, n.multiply(r, secret)))
            if !r.isZero, !s.isZero {
                let body = der(r) + der(s)
                return [0x30, UInt8(body.count)] + body
            }
        }
    }

    /// Whether `raw`, r then s, signs `message` under the key x then y.
    public static func isValid(_ raw: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard raw.count == 64, publicKey.count == 64 else { return false }
        let (r, s) = (Number(bytes: Array(raw[..<32])), Number(bytes: Array(raw[32...])))
        guard !r.isZero, !s.isZero, r < n.modulus, s < n.modulus else { return false }
        let key = Point(x: Number(bytes: Array(publicKey[..<32])), y: Number(bytes: Array(publicKey[32...])))
        let inverse = n.inverse(s)
        let digest = n.reduce(Number(bytes: SHA256.hash(message)))
        guard let sum = multiply([(n.multiply(digest, inverse), base), (n.multiply(r, inverse), key)]) else {
            return false
        }
        return n.reduce(sum.x) == r
    }

    private static func der(_ number: Number) -> [UInt8] {
        var digits = Array(number.bytes.drop { $0 == 0 })
        if digits.first ?? 0x80 >= 0x80 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    /// The sum of the points, each as often as its scalar says; `nil` at infinity.
    private static func multiply(_ terms: [(Number, Point)]) -> Point? {
        var sum = Projective(x: Number(1), y: Number(1), z: Number(0))
        for bit in (0..<256).reversed() {
            sum = double(sum)
            for (scalar, point) in terms where scalar.bit(bit) {
                sum = add(sum, Projective(x: point.x, y: point.y, z: Number(1)))
            }
        }
        guard !sum.z.isZero else { return nil }
        let inverse = p.inverse(sum.z)
        let square = p.multiply(inverse, inverse)
        return Point(x: p.multiply(sum.x, square), y: p.multiply(sum.y, p.multiply(square, inverse)))
    }

    /// Jacobian coordinates: x/z², y/z³.
    private struct Projective {
        let x: Number
        let y: Number
        let z: Number
    }

    private static func double(_ point: Projective) -> Projective {
        guard !point.z.isZero, !point.y.isZero else { return Projective(x: Number(1), y: Number(1), z: Number(0)) }
        let yy = p.multiply(point.y, point.y)
        let zz = p.multiply(point.z, point.z)
        let s = p.times(4, p.multiply(point.x, yy))
        let m = p.times(3, p.multiply(p.subtract(point.x, zz), p.add(point.x, zz)))
        let x = p.subtract(p.multiply(m, m), p.times(2, s))
        let y = p.subtract(p.multiply(m, p.subtract(s, x)), p.times(8, p.multiply(yy, yy)))
        return Projective(x: x, y: y, z: p.times(2, p.multiply(point.y, point.z)))
    }

    private static func add(_ left: Projective, _ right: Projective) -> Projective {
        if left.z.isZero { return right }
        if right.z.isZero { return left }
        let leftZZ = p.multiply(left.z, left.z)
        let rightZZ = p.multiply(right.z, right.z)
        let u = p.multiply(left.x, rightZZ)
        let s = p.multiply(left.y, p.multiply(rightZZ, right.z))
        let h = p.subtract(p.multiply(right.x, leftZZ), u)
        let r = p.subtract(p.multiply(right.y, p.multiply(leftZZ, left.z)), s)
        if h.isZero { return r.isZero ? double(left) : Projective(x: Number(1), y: Number(1), z: Number(0)) }
        let hh = p.multiply(h, h)
        let hhh = p.multiply(h, hh)
        let v = p.multiply(u, hh)
        let x = p.subtract(p.subtract(p.multiply(r, r), hhh), p.times(2, v))
        let y = p.subtract(p.multiply(r, p.subtract(v, x)), p.multiply(s, hhh))
        return Projective(x: x, y: y, z: p.multiply(h, p.multiply(left.z, right.z)))
    }
}
