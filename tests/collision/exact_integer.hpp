#pragma once
// Integers without rounding and polynomials over them: enough to count roots and to tell signs at a root exactly.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pliant/core/error.hpp"

namespace pliant::exact {

/// Sign and magnitude, at most 4,096 bits.
class Integer {
public:
    Integer(std::int64_t value = 0) : sign_((value > 0) - (value < 0)), size_(value != 0) {
        limb_[0] = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    }
    Integer(const Integer& b) { *this = b; }
    Integer& operator=(const Integer& b) {
        sign_ = b.sign_, size_ = b.size_;
        std::copy_n(b.limb_.begin(), b.size_, limb_.begin());
        return *this;
    }
    int sign() const { return sign_; }
    Integer operator-() const {
        Integer r = *this;
        r.sign_ = -r.sign_;
        return r;
    }
    friend Integer operator+(const Integer& a, const Integer& b) {
        if (a.sign_ == 0) return b;
        if (b.sign_ == 0) return a;
        if (a.sign_ == b.sign_) return magnitude_sum(a, b);
        const int order = compare_magnitude(a, b);
        if (order == 0) return {};
        return order > 0 ? magnitude_difference(a, b) : magnitude_difference(b, a);
    }
    friend Integer operator-(const Integer& a, const Integer& b) { return a + (-b); }
    friend Integer operator*(const Integer& a, const Integer& b) {
        Integer r;
        if (a.sign_ == 0 || b.sign_ == 0) return r;
        r.sign_ = a.sign_ * b.sign_;
        r.size_ = a.size_ + b.size_;
        CHECK(r.size_ <= capacity, r.size_);
        std::fill_n(r.limb_.begin(), r.size_, 0);
        for (int i = 0; i < a.size_; ++i) {
            unsigned __int128 carry = 0;
            for (int j = 0; j < b.size_; ++j) {
                carry += static_cast<unsigned __int128>(a.limb_[i]) * b.limb_[j] + r.limb_[i + j];
                r.limb_[i + j] = static_cast<std::uint64_t>(carry), carry >>= 64;
            }
            r.limb_[i + b.size_] = static_cast<std::uint64_t>(carry);
        }
        r.trim();
        return r;
    }
    /// Within a few ulps.
    double value() const {
        double v = 0;
        for (int i = size_ - 1; i >= 0; --i) v = v * 0x1p64 + static_cast<double>(limb_[i]);
        return sign_ * v;
    }
    Integer shifted(int bits) const {
        if (sign_ == 0) return *this;
        Integer r;
        r.sign_ = sign_;
        const int whole = bits / 64, rest = bits % 64;
        r.size_ = size_ + whole + 1;
        CHECK(r.size_ <= capacity, r.size_);
        std::fill_n(r.limb_.begin(), r.size_, 0);
        for (int i = 0; i < size_; ++i) {
            r.limb_[i + whole] |= limb_[i] << rest;
            if (rest > 0) r.limb_[i + whole + 1] |= limb_[i] >> (64 - rest);
        }
        r.trim();
        return r;
    }

private:
    static constexpr int capacity = 64;
    std::array<std::uint64_t, capacity> limb_;
    int sign_ = 0, size_ = 0;

    void trim() {
        while (size_ > 0 && limb_[size_ - 1] == 0) --size_;
    }
    static int compare_magnitude(const Integer& a, const Integer& b) {
        if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
        for (int i = a.size_ - 1; i >= 0; --i)
            if (a.limb_[i] != b.limb_[i]) return a.limb_[i] < b.limb_[i] ? -1 : 1;
        return 0;
    }
    static Integer magnitude_sum(const Integer& a, const Integer& b) {
        const Integer &large = a.size_ >= b.size_ ? a : b, &small = a.size_ >= b.size_ ? b : a;
        Integer r;
        r.sign_ = a.sign_, r.size_ = large.size_ + 1;
        CHECK(r.size_ <= capacity, r.size_);
        unsigned __int128 carry = 0;
        for (int i = 0; i < large.size_; ++i) {
            carry += large.limb_[i];
            if (i < small.size_) carry += small.limb_[i];
            r.limb_[i] = static_cast<std::uint64_t>(carry), carry >>= 64;
        }
        r.limb_[large.size_] = static_cast<std::uint64_t>(carry);
        r.trim();
        return r;
    }
    static Integer magnitude_difference(const Integer& large, const Integer& small) {
        Integer r;
        r.sign_ = large.sign_, r.size_ = large.size_;
        std::uint64_t borrow = 0;
        for (int i = 0; i < large.size_; ++i) {
            const unsigned __int128 take =
                static_cast<unsigned __int128>(i < small.size_ ? small.limb_[i] : 0) + borrow;
            borrow = large.limb_[i] < take;
            r.limb_[i] = static_cast<std::uint64_t>(large.limb_[i] - take);
        }
        r.trim();
        return r;
    }
};

/// k / 2^j
struct Dyadic {
    std::int64_t k = 0;
    int j = 0;
    double value() const { return std::ldexp(static_cast<double>(k), -j); }
};
inline Dyadic middle(const Dyadic& a, const Dyadic& b) {
    const int j = std::max(a.j, b.j);
    return {(a.k << (j - a.j)) + (b.k << (j - b.j)), j + 1};
}

/// c[i] belongs to tⁱ; no leading zeros, so that the zero polynomial is empty.
struct Polynomial {
    std::vector<Integer> c;

    int degree() const { return static_cast<int>(c.size()) - 1; }
    bool zero() const { return c.empty(); }
    void trim() {
        while (!c.empty() && c.back().sign() == 0) c.pop_back();
    }
    int sign_at(const Dyadic& t) const {
        Integer value = zero() ? Integer(0) : c.back();
        for (int i = degree() - 1; i >= 0; --i) value = value * Integer(t.k) + c[i].shifted(t.j * (degree() - i));
        return value.sign();
    }
};
inline Polynomial linear(std::int64_t at0, std::int64_t at1) {
    Polynomial p{{Integer(at0), Integer(at1 - at0)}};
    p.trim();
    return p;
}
inline Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial r{std::vector<Integer>(std::max(a.c.size(), b.c.size()))};
    for (std::size_t i = 0; i < a.c.size(); ++i) r.c[i] = a.c[i];
    for (std::size_t i = 0; i < b.c.size(); ++i) r.c[i] = r.c[i] + b.c[i];
    r.trim();
    return r;
}
inline Polynomial operator-(Polynomial a) {
    for (Integer& c : a.c) c = -c;
    return a;
}
inline Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + (-b); }
inline Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    if (a.zero() || b.zero()) return {};
    Polynomial r{std::vector<Integer>(a.c.size() + b.c.size() - 1)};
    for (std::size_t i = 0; i < a.c.size(); ++i)
        for (std::size_t k = 0; k < b.c.size(); ++k) r.c[i + k] = r.c[i + k] + a.c[i] * b.c[k];
    r.trim();
    return r;
}
inline Polynomial derivative(const Polynomial& p) {
    Polynomial r;
    for (int i = 1; i <= p.degree(); ++i) r.c.push_back(p.c[i] * Integer(i));
    return r;
}
/// A positive multiple of the remainder of a divided by b.
inline Polynomial remainder(Polynomial a, const Polynomial& b) {
    const Integer lead = b.c.back().sign() > 0 ? b.c.back() : -b.c.back();
    while (a.degree() >= b.degree()) {
        const int shift = a.degree() - b.degree();
        const Integer factor = b.c.back().sign() > 0 ? a.c.back() : -a.c.back();
        for (Integer& c : a.c) c = c * lead;
        for (int i = 0; i <= b.degree(); ++i) a.c[i + shift] = a.c[i + shift] - factor * b.c[i];
        a.trim();
    }
    return a;
}
/// A positive multiple of p divided by (t − root), which must be a factor: Horner's rule in s = 2^j t, whose division
/// by s − k leaves integers.
inline Polynomial without_root(const Polynomial& p, const Dyadic& root) {
    Polynomial q{std::vector<Integer>(p.c.size() - 1)};
    Integer carry(0);
    for (int i = p.degree(); i > 0; --i) {
        carry = p.c[i].shifted(root.j * (p.degree() - i)) + carry * Integer(root.k);
        q.c[i - 1] = carry.shifted(root.j * (i - 1));
    }
    q.trim();
    return q;
}

using Chain = std::vector<Polynomial>;
/// Sturm's chain of p and q (mod p).
inline Chain chain_of(const Polynomial& p, const Polynomial& q) {
    Chain chain{p, remainder(q, p)};
    while (!chain.back().zero() && chain.back().degree() > 0)
        chain.push_back(-remainder(chain[chain.size() - 2], chain.back()));
    if (chain.back().zero()) chain.pop_back();
    return chain;
}
inline int variations(const Chain& chain, const Dyadic& t) {
    int count = 0, last = 0;
    for (const Polynomial& p : chain) {
        const int s = p.sign_at(t);
        if (s != 0 && last != 0 && s != last) ++count;
        if (s != 0) last = s;
    }
    return count;
}

/// One real root of p: a dyadic number (low = high), or the only one between low and high, which are none.
struct Root {
    Polynomial p;
    Dyadic low, high;
    double near = 0, width = 1;  ///< the root is within [near, near + width]

    Root(const Polynomial& polynomial, const Dyadic& from, const Dyadic& to) : p(polynomial), low(from), high(to) {
        near = low.value(), width = high.value() - near;
        if (known()) return;
        const Chain chain = chain_of(p, derivative(p));
        const int before = variations(chain, low);
        for (Dyadic l = low, h = high; width > 0x1p-20; width = h.value() - near) {
            const Dyadic m = middle(l, h);
            const int sign = p.sign_at(m);
            (sign != 0 && variations(chain, m) == before ? l : h) = m;
            near = l.value();
        }
    }
    bool known() const { return low.k == high.k && low.j == high.j; }

    /// Exact sign of q at the root: by the value of q near it where that is far enough from zero, else by Tarski's
    /// query.
    int sign_of(const Polynomial& q) const {
        if (q.zero()) return 0;
        double value = 0, steep = 0, sum = 0;  // |t| ≤ 1
        for (int i = q.degree(); i >= 0; --i) {
            const double c = q.c[i].value();
            value = value * near + c, steep += i * std::abs(c), sum += std::abs(c);
        }
        if (std::abs(value) > 2 * width * steep + 1e-13 * sum) return value > 0 ? 1 : -1;
        if (known()) return q.sign_at(low);
        const Chain chain = chain_of(p, derivative(p) * q);
        return variations(chain, low) - variations(chain, high);
    }
    /// −1, 0 or 1: is t before, at or after the root?
    int compare(const Dyadic& t) const {
        const int j = std::max({t.j, low.j, high.j});
        const auto scaled = [&](const Dyadic& d) { return static_cast<__int128>(d.k) << (j - d.j); };
        if (known()) return (scaled(t) > scaled(low)) - (scaled(t) < scaled(low));
        if (scaled(t) <= scaled(low)) return -1;
        if (scaled(t) >= scaled(high)) return 1;
        if (p.sign_at(t) == 0) return 0;
        const Chain chain = chain_of(p, derivative(p));
        return variations(chain, low) - variations(chain, t) == 1 ? 1 : -1;
    }
};

/// The roots of p in [0, 1], p not zero.
inline std::vector<Root> roots_in_unit(Polynomial p) {
    std::vector<Root> roots;
    for (const Dyadic end : {Dyadic{0, 0}, Dyadic{1, 0}})
        for (bool first = true; p.degree() > 0 && p.sign_at(end) == 0; first = false) {
            if (first) roots.emplace_back(p, end, end);
            p = without_root(p, end);
        }
    std::vector<std::pair<Dyadic, Dyadic>> open{{{0, 0}, {1, 0}}};
    while (!open.empty() && p.degree() > 0) {
        const auto [low, high] = open.back();
        const Chain chain = chain_of(p, derivative(p));
        const int count = variations(chain, low) - variations(chain, high);
        open.pop_back();
        if (count == 0) continue;
        if (count == 1) {
            roots.emplace_back(p, low, high);
            continue;
        }
        const Dyadic m = middle(low, high);
        CHECK(m.j < 60, m.j);
        for (bool first = true; p.degree() > 0 && p.sign_at(m) == 0; first = false) {
            if (first) roots.emplace_back(p, m, m);
            p = without_root(p, m);
        }
        open.push_back({low, m}), open.push_back({m, high});
    }
    return roots;
}

}  // namespace pliant::exact
