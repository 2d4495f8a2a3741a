# SPDX-License-Identifier: Apache-2.0
"""S46: an sfarray beside an ndarray of its codes: whatever moves or looks at elements does to both what NumPy does."""

import numpy as np
import pytest

import plain
import sf

CODES = {"x": np.array([5, -3, 0, 16384, -32767, 5, 32767]), "a": np.array([[7, -2, 0, 9], [1, 1, -8, 3], [0, 4, 4, -1]]),
         "c": np.arange(-12, 12).reshape(2, 3, 4) * 100, "z": np.array(77), "e": np.zeros((0, 3), int)}

INDEXED = """
x[0] x[-1] x[np.int8(2)] x[()] z[()] z[...] x[...] x[:] x[2:5] x[::-1] x[1::2] x[-3:-1] x[10:] x[None] x[np.newaxis,:,None] a[1]
a[1,2] a[-1,-1] a[:,1] a[...,0] a[1,...] a[0:2,1:3] a[::-1,::-1] a[None,:,0] c[0] c[:,1] c[...,2] c[0,...,1] c[1,2,3] c[:,:,1:1]
e[:] e[:,0] x[[0,2,4]] x[[-1,0,0]] x[np.array([[0,1],[2,3]])] x[x>0] x[x==x[0]] x[[True,False]*3+[True]] x[np.zeros(7,bool)] a[a>0]
a[[0,2]] a[[0,2],[1,3]] a[np.ix_([0,2],[1,3])] a[[True,False,True]] a[:,[True,False,True,False]] a[[[0],[1]],[1,2]] a[1:,[0,0]]
a[[1],:] c[[0,1],:,[2,3]] c[:,[0,2],1] c[c>c[0,2,1]] c[None,...,None,0] a[np.array(1)] x[np.array([],int)] a[(0,1)] x[slice(1,4)]
x[True] x[False]
""".split()

MOVED = """
x.reshape(7,1) a.reshape(2,6) a.reshape((4,3)) a.reshape(-1) a.reshape(2,-1,order='F') a.T c.T a.mT a.ravel() a.ravel('F') c.ravel()
a.flatten() a.flatten('F') c.transpose() c.transpose(1,0,2) c.transpose((2,0,1)) c.swapaxes(0,2) x[None].squeeze()
x[None].squeeze(0) a.diagonal() a.diagonal(1) c.diagonal(0,1,2) a.repeat(2) a.repeat(2,axis=1) a.repeat([1,0,2],0) x.take(2)
x.take([0,1]) a.take([1,2],axis=1) a.take([[0,5]]) x.take([9,-9],mode='clip') x.copy() a.T.copy() x.view() a.view()
np.reshape(a,(2,6)) np.ravel(a) np.transpose(c) np.transpose(c,(1,2,0)) np.swapaxes(c,0,1) np.moveaxis(c,0,-1) np.rollaxis(c,2)
np.squeeze(x[None]) np.expand_dims(x,0) np.expand_dims(a,(0,3)) np.atleast_1d(z) np.atleast_2d(x) np.atleast_3d(a)
np.broadcast_to(x,(2,7)) np.broadcast_arrays(a,a[0]) np.split(x,[2,5]) np.array_split(x,3) np.vsplit(a,3) np.hsplit(a,2)
np.dsplit(c,2) np.tile(x,2) np.tile(a,(2,1)) np.repeat(x,2) np.repeat(a,2,axis=0) np.flip(a) np.flip(a,0) np.fliplr(a) np.flipud(a)
np.roll(x,2) np.roll(a,1,axis=1) np.rot90(a) np.take(x,[0,1]) np.take(a,[0,2],axis=1) np.take(x,0) np.take(a,1,axis=0)
np.take_along_axis(a,np.argsort(a,1),1) np.compress([True,False,True],a,axis=0) np.extract(x>0,x) np.delete(x,[0,2])
np.delete(a,1,axis=1) np.concatenate([x,x]) np.concatenate((a,a),axis=1) np.concatenate([a,a],axis=None) np.stack([x,x])
np.stack([a,a],axis=-1) np.vstack([x,x]) np.hstack([a,a]) np.dstack([x,x]) np.column_stack([x,x]) np.block([[a,a],[a,a]])
np.append(x,x) np.append(a,a,axis=0) np.insert(x,1,x[0]) np.insert(a,[1,2],a[:,:2],axis=1) np.where(a>0,a,-1*0+a)
np.where([[True],[False],[True]],a,a[0]) np.diagonal(a) np.diag(a) np.diag(x) np.tril(a) np.triu(a,1) np.sort(x) np.sort(a,axis=0)
np.sort(a,axis=None) np.unique(x) np.unique(a) np.unique(x,return_index=True) np.unique(x,return_inverse=True)
np.unique(x,return_counts=True) np.unique(a,True,True,True) np.unique(a,axis=0) np.copy(x) np.copy(a.T) np.pad(x,1)
np.pad(a,((1,0),(0,2))) np.pad(x,2,mode='edge') np.pad(x,2,mode='wrap') np.pad(x,2,mode='reflect') np.pad(x,2,'symmetric')
np.pad(x,(1,2),mode='maximum') np.pad(x,1,mode='minimum') np.resize(x,(3,3)) np.concatenate([e,a[:,:3]]) np.split(a,3)[1] np.max(x)
np.min(a,axis=0) np.max(a,1,None,True) x.max() x.min() a.max(axis=0) a.min(1) a.max(axis=(0,1)) c.max(axis=(0,2),keepdims=True)
np.maximum(a,a[0]) np.minimum(a,a[:,:1]) np.maximum.reduce(a) np.minimum.reduce(a,axis=1) np.maximum.reduce(c,axis=(0,2)) np.amax(x)
np.amin(a,axis=1)
""".split()

LOOKED = """
x.shape a.shape z.shape e.shape x.ndim c.ndim z.ndim x.size e.size a.strides a.T.strides x.itemsize a.nbytes len(x) len(a) len(e)
x.nonzero() a.nonzero() a.argsort() a.argsort(0) x.argsort(kind='stable') a.any() a.all() a.any(axis=0) a.all(1)
a.any(0,keepdims=True) x.argmax() a.argmin(axis=1) c.argmax(axis=0,keepdims=True) x==x a==a[0] x!=x[0] a<a[1] a<=a[:,:1] a>a[0,0]
a>=a x==x[3] np.shape(a) np.size(a) np.size(a,1) np.ndim(c) np.argsort(x) np.argsort(a,0) np.lexsort((a[0],a[1])) np.nonzero(a)
np.flatnonzero(a) np.argwhere(a) np.count_nonzero(a) np.count_nonzero(a,axis=0) np.searchsorted(np.sort(x),x) np.isin(x,x[:2])
np.isin(a,a[0],invert=True) np.any(a) np.all(a,axis=1) np.shares_memory(x,x[1:]) np.may_share_memory(x,x)
np.shares_memory(x[:2],x[2:]) np.equal(a,a[0]) np.not_equal(a,a[0]) np.less(a,a[0]) np.less_equal(a,a) np.greater(a,a[0])
np.greater_equal(a,a[0]) np.array_equal(a,a) np.array_equal(a,a.T) np.array_equiv(a,a[None]) np.argmax(a) np.argmin(a,axis=1)
np.argmax(a,axis=0,keepdims=True) np.iscomplexobj(x) np.isrealobj(x) np.where(a) np.where(a>0) np.where(x>x[0]) bool(x[:1]) bool(z)
a.flags.c_contiguous a.T.flags.f_contiguous a[::-1].flags.owndata (x>0).tolist() any(x[:2]>x[3]) x.tobytes() a.T.tobytes()
a.tobytes('F')
""".split()


def both(text, bits=16):
    """The expression on codes and on the sfarray over the same numbers."""
    codes = {name: value.astype(plain.storage(bits)) for name, value in CODES.items()}
    arrays = {name: sf.from_codes(value, plain.dtype(bits), copy=False) for name, value in codes.items()}
    return eval(text, {"np": np, **codes}), eval(text, {"np": np, **arrays}), codes, arrays


def match(want, got, codes, said):
    """The same structure with codes as SuperFloat: int16 is a code, all else is what NumPy gives."""
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) or (isinstance(want, tuple) and isinstance(got, tuple)), said
        assert len(got) == len(want), said
        for w, g in zip(want, got):
            match(w, g, codes, said)
    elif isinstance(want, np.ndarray) and want.dtype == np.int16:
        assert type(got) is sf.sfarray and got.dtype is sf.sf16, (said, got)
        assert got.shape == want.shape and got.codes.dtype == np.int16 and got.codes.tolist() == want.tolist(), (said, got)
        assert got.ndim == want.ndim and got.size == want.size and got.flags.writeable == want.flags.writeable, said
    elif isinstance(want, np.int16):
        assert type(got) is sf.sf16 and got.code == want, (said, got)
    elif isinstance(want, np.ndarray):
        assert type(got) is np.ndarray and got.dtype == want.dtype and got.shape == want.shape
        assert got.tolist() == want.tolist(), (said, got)
    else:
        assert got == want and not isinstance(got, (sf.sfscalar, sf.sfarray)), (said, got)


@pytest.mark.parametrize("text", INDEXED)
def test_S46_indexing(text):
    want, got, codes, arrays = both(text)
    match(want, got, codes, text)
    if isinstance(want, np.ndarray):
        name = text[0]
        assert np.shares_memory(got.codes, arrays[name].codes) == np.shares_memory(want,
            codes[name]), "a view where NumPy gives a view"
        if np.shares_memory(want, codes[name]):
            assert got.strides == want.strides


@pytest.mark.filterwarnings("ignore:future versions will not create a writeable array")
@pytest.mark.parametrize("text", plain.here(MOVED))
def test_S46_functions_that_move_elements(text):
    want, got, codes, arrays = both(text)
    match(want, got, codes, text)
    if isinstance(want, np.ndarray) and want.dtype == np.int16:
        shares = [np.shares_memory(want, codes[name]) for name in "xac"]
        assert [np.shares_memory(got.codes, arrays[name].codes) for name in "xac"] == shares, "a view where NumPy gives a view"


@pytest.mark.parametrize("text", LOOKED)
def test_S46_functions_that_look_at_elements(text):
    want, got, codes, _ = both(text)
    match(want, got, codes, text)


ERRORS = """
x[7] x[-8] a[3] a[0,4] a[0,0,0] x['a'] x[0.5] x[[0.5]] x[None,None,0,0,0] x[[True]] x[[9]] z[0] x.reshape(2) a.reshape(5,-1)
x.squeeze(0) a.transpose(0) a.transpose(0,0) x.swapaxes(0,1) a.take(99) np.concatenate([x,a]) np.stack([x,a]) np.split(x,2) len(z)
bool(x) bool(a) [*z] float(x) int(a) a.item() a.item(99) np.broadcast_to(a,(5,)) np.take(x,99) np.delete(x,99) np.expand_dims(x,5)
np.hsplit(x,5) np.insert(x,99,x[0]) hash(x) x.repeat(-1) np.tile(x,-1) a+x a*x a==x a<x np.where(x>0,a,x) np.concatenate([])
a.diagonal(0,0,0) x.diagonal() np.unique(a,axis=5) np.flip(x,3) np.moveaxis(a,0,5) a.sort(5) a.argsort(5) a.any(axis=5)
""".split()


@pytest.mark.parametrize("text", plain.here(ERRORS))
def test_S46_what_numpy_refuses_is_refused_alike(text):
    codes = {name: value.astype(np.int16) for name, value in CODES.items()}
    arrays = {name: sf.from_codes(value) for name, value in codes.items()}
    with pytest.raises(Exception) as want:
        eval(text, {"np": np, **codes})
    with pytest.raises(Exception) as got:
        eval(text, {"np": np, **arrays})
    assert isinstance(got.value, tuple(t for t in (IndexError, TypeError, ValueError) if isinstance(want.value, t)) + ((ValueError,)
        if text in ("float(x)", "int(a)") else ())), (want.value, got.value)
    assert "\n" not in str(got.value)


SETS = """
x[0]=v x[-1]=v x[1:3]=v x[::2]=v x[...]=v x[x>0]=v x[[0,2]]=v a[1]=v a[:,1]=v a[0,0]=v a[a<0]=v a[[0,1],[1,2]]=v a[...,1:3]=v
z[...]=v z[()]=v c[:,0,::-1]=v x[1:1]=v a[1,1:]=w[:3] a[:]=w x[:4]=w a[:,:]=w[None] a[:,0]=w[:3] a[a>a[2,1]]=w[:2] x[[0,0,1]]=w[:3]
a[::-1]=a x[1:]=x[:-1] a[0]=a[1] a.T[:]=a.T x[::-1]=x a[1:]=a[:-1]
""".split()


@pytest.mark.parametrize("text", SETS)
def test_S46_setting_elements(text):
    codes = {name: value.astype(np.int16) for name, value in CODES.items()}
    arrays = {name: sf.from_codes(value) for name, value in codes.items()}
    w = np.array([1000, -2000, 3000, 4000], np.int16)
    exec(text, {"np": np, "v": np.int16(-16384), "w": w, **codes})
    for value, row in ((-0.5, w / 32768), (sf.sf16(-0.5), sf.from_codes(w)), (np.float32(-0.5), (w / 32768).astype(np.float32)),
                       (sf.array(-0.5), sf.from_codes(w))):
        arrays = {name: sf.from_codes(value) for name, value in CODES.items()}
        exec(text, {"np": np, "v": value, "w": row, **arrays})
        for name in codes:
            assert arrays[name].codes.tolist() == codes[name].tolist(), (name, value)


def test_S46_setting_follows_the_event_rules():
    x = sf.array([0.5, 0.25])
    for set_it in (lambda: x.__setitem__(0, 1.0), lambda: x.fill(-7), lambda: x.__setitem__(slice(None), [0.5, 2.0])):
        with pytest.raises(sf.SFOverflowError, match="^sf16 array: overflow in 1 of"):
            set_it()
    assert x.codes.tolist() == [16384, 8192]
    with pytest.raises(TypeError, match=r"\.astype\(sf\.sf16\)"):
        x[0] = sf.sf8(0.5)
    for wrong in ("a", None, 1j, [0.1, 0.2, 0.3]):
        with pytest.raises((TypeError, ValueError)):
            x[:] = wrong
    with sf.errstate(over="ignore"):
        x[0] = 5
    assert x.codes.tolist() == [32767, 8192]
    x.fill(0.125)
    assert x.codes.tolist() == [4096, 4096]
    x.sort()


def test_S46_iteration():
    a = sf.from_codes(CODES["a"])
    assert [row.codes.tolist() for row in a] == CODES["a"].tolist() and all(type(v) is sf.sf16 for v in a[0])
    for row in a:
        row[0] = 0.5
    assert a.codes[:, 0].tolist() == [16384] * 3, "rows are views"
    assert [v.code for v in a.flat] == a.codes.ravel().tolist() and list(reversed(a[0]))[0].code == 9
    first, *rest = a[0]
    assert first.code == 16384 and len(rest) == 3 and dict(enumerate(a[1]))[2].code == -8


def test_S46_every_code_of_a_small_format_sorts_and_compares_as_its_value():
    x = sf.from_codes(np.random.default_rng(5).permutation(np.arange(-128, 128)), sf.sf8)
    assert np.sort(x).codes.tolist() == [*range(-128, 128)] and sorted(x) == list(np.sort(x))
    x.sort()
    assert x.codes.tolist() == [*range(-128, 128)] and (x[:-1] < x[1:]).all() and (np.asarray(x)[:-1] < np.asarray(x)[1:]).all()
